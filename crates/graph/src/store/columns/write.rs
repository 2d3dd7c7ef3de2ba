//! From a value to columns.

use serde::ser::{
    Impossible, Serialize, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use super::{Places, Unfit, difference, step};

/// The columns of a value.
pub(in super::super) fn write<T: Serialize>(value: &T) -> Result<Vec<u8>, Unfit> {
    let mut columns = Columns { places: Places::new(), at: Places::ROOT, columns: Vec::new() };
    value.serialize(&mut columns)?;
    Ok(columns.finish())
}

/// A column under construction.
#[derive(Default)]
struct Column {
    numbers: Vec<u64>,
    text: Vec<u8>,
}

struct Columns {
    places: Places,
    /// The place that is being written.
    at: u32,
    /// By place.
    columns: Vec<Column>,
}

impl Columns {
    fn column(&mut self) -> &mut Column {
        let at = self.at as usize;
        if self.columns.len() <= at {
            self.columns.resize_with(at + 1, Column::default);
        }
        &mut self.columns[at]
    }

    fn put(&mut self, number: impl Into<u64>) -> Result<(), Unfit> {
        self.column().numbers.push(number.into());
        Ok(())
    }

    fn below<T: Serialize + ?Sized>(&mut self, step: usize, value: &T) -> Result<(), Unfit> {
        let at = self.at;
        self.at = self.places.below(at, step);
        value.serialize(&mut *self)?;
        self.at = at;
        Ok(())
    }

    /// The lengths of all columns, then the columns.
    fn finish(self) -> Vec<u8> {
        let (mut heads, mut bodies) = (Vec::new(), Vec::new());
        for column in &self.columns {
            let start = bodies.len();
            let plain: usize = column.numbers.iter().map(|number| varint_len(*number)).sum();
            let changes = || {
                let before = std::iter::once(&0).chain(&column.numbers);
                column.numbers.iter().zip(before).map(|(number, before)| difference(*number, *before))
            };
            let by_change = changes().map(varint_len).sum::<usize>() < plain;
            if by_change {
                changes().for_each(|change| put_varint(&mut bodies, change));
            } else {
                column.numbers.iter().for_each(|number| put_varint(&mut bodies, *number));
            }
            bodies.extend_from_slice(&column.text);
            put_varint(&mut heads, ((bodies.len() - start) as u64) << 1 | u64::from(by_change));
        }
        let mut bytes = Vec::with_capacity(heads.len() + bodies.len() + 4);
        put_varint(&mut bytes, self.columns.len() as u64);
        bytes.append(&mut heads);
        bytes.append(&mut bodies);
        bytes
    }
}

/// Seven bits a byte, the lowest first; the eighth says that there are more.
fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn varint_len(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// Fields, one after the other.
struct Fields<'c> {
    columns: &'c mut Columns,
    /// The variant that they are of.
    variant: Option<u32>,
    next: usize,
}

impl<'c> Fields<'c> {
    fn new(columns: &'c mut Columns, variant: Option<u32>) -> Self {
        Self { columns, variant, next: 0 }
    }

    fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        let step = match self.variant {
            Some(variant) => step::of_variant(variant, self.next),
            None => step::field(self.next),
        };
        self.next += 1;
        self.columns.below(step, value)
    }
}

impl<'c> Serializer for &'c mut Columns {
    type Ok = ();
    type Error = Unfit;
    type SerializeSeq = Self;
    type SerializeTuple = Fields<'c>;
    type SerializeTupleStruct = Fields<'c>;
    type SerializeTupleVariant = Fields<'c>;
    type SerializeMap = Impossible<(), Unfit>;
    type SerializeStruct = Fields<'c>;
    type SerializeStructVariant = Fields<'c>;

    fn serialize_bool(self, value: bool) -> Result<(), Unfit> {
        self.put(value)
    }

    fn serialize_u8(self, value: u8) -> Result<(), Unfit> {
        self.put(value)
    }

    fn serialize_u16(self, value: u16) -> Result<(), Unfit> {
        self.put(value)
    }

    fn serialize_u32(self, value: u32) -> Result<(), Unfit> {
        self.put(value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), Unfit> {
        self.put(value)
    }

    fn serialize_str(self, value: &str) -> Result<(), Unfit> {
        self.put(value.len() as u64)?;
        let at = self.at;
        self.at = self.places.below(at, step::BYTES);
        self.column().text.extend_from_slice(value.as_bytes());
        self.at = at;
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Unfit> {
        self.put(false)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unfit> {
        self.put(true)?;
        self.below(step::INSIDE, value)
    }

    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<(), Unfit> {
        self.put(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unfit> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unfit> {
        self.put(variant)?;
        self.below(step::of_variant(variant, 0), value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self, Unfit> {
        self.put(len.ok_or(Unfit)? as u64)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Fields<'c>, Unfit> {
        Ok(Fields::new(self, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Fields<'c>, Unfit> {
        Ok(Fields::new(self, None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'c>, Unfit> {
        Ok(Fields::new(self, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'c>, Unfit> {
        self.put(variant)?;
        Ok(Fields::new(self, Some(variant)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'c>, Unfit> {
        self.put(variant)?;
        Ok(Fields::new(self, Some(variant)))
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    // What facts are not made of.

    fn serialize_i8(self, _: i8) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_i16(self, _: i16) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_i32(self, _: i32) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_i64(self, _: i64) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_f32(self, _: f32) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_f64(self, _: f64) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_char(self, _: char) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_unit(self) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unfit> {
        Err(Unfit)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unfit> {
        Err(Unfit)
    }
}

impl SerializeSeq for &mut Columns {
    type Ok = ();
    type Error = Unfit;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unfit> {
        self.below(step::INSIDE, value)
    }

    fn end(self) -> Result<(), Unfit> {
        Ok(())
    }
}

/// The five kinds of fields differ in how `serde` calls them.
macro_rules! fields {
    ($($name:ident $method:ident ($($key:ty)?),)*) => {$(
        impl $name for Fields<'_> {
            type Ok = ();
            type Error = Unfit;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<(), Unfit> {
                self.put(value)
            }

            fn end(self) -> Result<(), Unfit> {
                Ok(())
            }
        }
    )*};
}

fields! {
    SerializeTuple serialize_element(),
    SerializeTupleStruct serialize_field(),
    SerializeTupleVariant serialize_field(),
    SerializeStruct serialize_field(&'static str),
    SerializeStructVariant serialize_field(&'static str),
}
