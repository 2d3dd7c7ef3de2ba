//! From columns to a value.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{Places, Unfit, add, step};

/// The value that has these columns.
pub(in super::super) fn read<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, Unfit> {
    let mut head = Column { rest: bytes, by_change: false, before: 0 };
    let count = head.number()?;
    let mut heads = Vec::new();
    for _ in 0..count {
        heads.push(head.number()?);
    }
    let mut rest = head.rest;
    let mut columns = Vec::with_capacity(heads.len());
    for head in heads {
        let len = usize::try_from(head >> 1).map_err(|_| Unfit)?;
        let (column, others) = rest.split_at_checked(len).ok_or(Unfit)?;
        columns.push(Column { rest: column, by_change: head & 1 == 1, before: 0 });
        rest = others;
    }
    let mut columns = Columns { places: Places::new(), at: Places::ROOT, columns };
    T::deserialize(&mut columns)
}

/// What is left of a column.
struct Column<'b> {
    rest: &'b [u8],
    /// Whether the numbers are what each adds to the one before.
    by_change: bool,
    before: u64,
}

impl Column<'_> {
    fn number(&mut self) -> Result<u64, Unfit> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.rest.split_first().ok_or(Unfit)?;
            self.rest = rest;
            if shift >= 64 {
                return Err(Unfit);
            }
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if self.by_change {
            number = add(number, self.before);
            self.before = number;
        }
        Ok(number)
    }
}

struct Columns<'b> {
    places: Places,
    /// The place that is being read.
    at: u32,
    /// By place.
    columns: Vec<Column<'b>>,
}

impl<'b> Columns<'b> {
    fn number(&mut self) -> Result<u64, Unfit> {
        self.columns.get_mut(self.at as usize).ok_or(Unfit)?.number()
    }

    fn text(&mut self) -> Result<&'b str, Unfit> {
        let len = usize::try_from(self.number()?).map_err(|_| Unfit)?;
        let place = self.places.below(self.at, step::BYTES);
        let column = self.columns.get_mut(place as usize).ok_or(Unfit)?;
        let (text, rest) = column.rest.split_at_checked(len).ok_or(Unfit)?;
        column.rest = rest;
        std::str::from_utf8(text).map_err(|_| Unfit)
    }

    fn below<T: DeserializeSeed<'b>>(&mut self, step: usize, seed: T) -> Result<T::Value, Unfit> {
        let at = self.at;
        self.at = self.places.below(at, step);
        let value = seed.deserialize(&mut *self)?;
        self.at = at;
        Ok(value)
    }
}

/// Fields or elements, one after the other.
struct Parts<'c, 'b> {
    columns: &'c mut Columns<'b>,
    kind: Kind,
    next: usize,
    len: usize,
}

/// Parts of what.
#[derive(Clone, Copy)]
enum Kind {
    List,
    Structure,
    Variant(u32),
}

impl<'b> SeqAccess<'b> for Parts<'_, 'b> {
    type Error = Unfit;

    fn next_element_seed<T: DeserializeSeed<'b>>(&mut self, seed: T) -> Result<Option<T::Value>, Unfit> {
        if self.next == self.len {
            return Ok(None);
        }
        let step = match self.kind {
            Kind::List => step::INSIDE,
            Kind::Structure => step::field(self.next),
            Kind::Variant(variant) => step::of_variant(variant, self.next),
        };
        self.next += 1;
        self.columns.below(step, seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.len - self.next)
    }
}

/// The fields of a variant.
struct Variant<'c, 'b> {
    columns: &'c mut Columns<'b>,
    variant: u32,
}

impl<'b> EnumAccess<'b> for Variant<'_, 'b> {
    type Error = Unfit;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'b>>(self, seed: V) -> Result<(V::Value, Self), Unfit> {
        let value = seed.deserialize(self.variant.into_deserializer())?;
        Ok((value, self))
    }
}

impl<'b> VariantAccess<'b> for Variant<'_, 'b> {
    type Error = Unfit;

    fn unit_variant(self) -> Result<(), Unfit> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Result<T::Value, Unfit> {
        self.columns.below(step::of_variant(self.variant, 0), seed)
    }

    fn tuple_variant<V: Visitor<'b>>(self, len: usize, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_seq(Parts { columns: self.columns, kind: Kind::Variant(self.variant), next: 0, len })
    }

    fn struct_variant<V: Visitor<'b>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Unfit> {
        self.tuple_variant(fields.len(), visitor)
    }
}

impl<'b> Deserializer<'b> for &mut Columns<'b> {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Unfit> {
        // Columns do not say what they hold.
        Err(Unfit)
    }

    fn deserialize_bool<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_bool(self.number()? != 0)
    }

    fn deserialize_u8<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u16<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u32<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_u64<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_u64(self.number()?)
    }

    fn deserialize_str<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        if self.number()? == 0 {
            return visitor.visit_none();
        }
        let at = self.at;
        self.at = self.places.below(at, step::INSIDE);
        let value = visitor.visit_some(&mut *self)?;
        self.at = at;
        Ok(value)
    }

    fn deserialize_newtype_struct<V: Visitor<'b>>(self, _: &'static str, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unfit> {
        let len = usize::try_from(self.number()?).map_err(|_| Unfit)?;
        visitor.visit_seq(Parts { columns: self, kind: Kind::List, next: 0, len })
    }

    fn deserialize_tuple<V: Visitor<'b>>(self, len: usize, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_seq(Parts { columns: self, kind: Kind::Structure, next: 0, len })
    }

    fn deserialize_tuple_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'b>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        let variant = u32::try_from(self.number()?).map_err(|_| Unfit)?;
        visitor.visit_enum(Variant { columns: self, variant })
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        <V: Visitor<'b>>
        i8 i16 i32 i64 f32 f64 char bytes byte_buf unit unit_struct map identifier ignored_any
    }
}
