//! What is written is read, whatever the type is made of.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{read, write};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    number: u32,
    text: String,
    maybe: Option<Id>,
    pair: (u16, u64),
    choice: Choice,
    inner: Vec<Vec<u8>>,
    flag: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Id(u32);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Choice {
    Nothing,
    One(Id),
    Two(u32, Option<String>),
    Named { list: Vec<Id>, name: String },
    Deep(Option<Option<Box<Choice>>>),
}

fn choice() -> impl Strategy<Value = Choice> {
    let leaf = prop_oneof![
        Just(Choice::Nothing),
        any::<u32>().prop_map(|n| Choice::One(Id(n))),
        (any::<u32>(), any::<Option<String>>()).prop_map(|(n, text)| Choice::Two(n, text)),
        (prop::collection::vec(any::<u32>().prop_map(Id), 0..4), ".*")
            .prop_map(|(list, name)| Choice::Named { list, name }),
    ];
    leaf.prop_recursive(3, 6, 1, |inner| {
        prop::option::of(prop::option::of(inner.prop_map(Box::new))).prop_map(Choice::Deep)
    })
}

fn row() -> impl Strategy<Value = Row> {
    let inner = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3), 0..3);
    let fields = (any::<u32>(), ".*", any::<Option<u32>>(), any::<(u16, u64)>(), choice(), inner, any::<bool>());
    fields.prop_map(|(number, text, maybe, pair, choice, inner, flag)| Row {
        number,
        text,
        maybe: maybe.map(Id),
        pair,
        choice,
        inner,
        flag,
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in prop::collection::vec(row(), 0..12)) {
        let bytes = write(&rows).unwrap();
        prop_assert_eq!(read::<Vec<Row>>(&bytes).unwrap(), rows);
    }

    #[test]
    fn other_bytes_are_an_error_or_another_value(
        rows in prop::collection::vec(row(), 0..6),
        place in any::<prop::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut bytes = write(&rows).unwrap();
        let cut = read::<Vec<Row>>(&bytes[..place.index(bytes.len())]);
        prop_assert!(cut.is_err() || rows.is_empty());
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        let _ = read::<Vec<Row>>(&bytes);
    }

    #[test]
    fn any_bytes_are_no_danger(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read::<Vec<Row>>(&bytes);
        let _ = read::<crate::facts::FileFacts>(&bytes);
    }
}

#[test]
fn extremes() {
    for numbers in [vec![], vec![0], vec![u64::MAX, 0, u64::MAX, 1 << 63, 5], (0..1000).collect()] {
        assert_eq!(read::<Vec<u64>>(&write(&numbers).unwrap()).unwrap(), numbers);
    }
    // A number that grows by little takes a byte.
    let bytes = write(&(1_000_000..1_001_000).collect::<Vec<u64>>()).unwrap();
    assert!(bytes.len() < 1020, "{}", bytes.len());
}

#[test]
fn what_columns_do_not_hold_is_refused() {
    assert!(write(&1.5_f64).is_err());
    assert!(write(&-1_i32).is_err());
    assert!(read::<f32>(&[1, 2, 3]).is_err());
}
