//! A part of a proposal is accepted, and the rest waits.

mod support;

use std::io;
use support::{Bench, Hooked, NOW, create, rename};
use vise_edit::{
    Draft, Error, Kind, Proposal, Reason, Refusal, Resolution, State, Store, accept_part, no_guard, prepare, recover,
    undo,
};
use vise_text::{ContentHash, Edit, FileOp, PlacedEdit};

fn part(bench: &Bench, proposal: &Proposal, only: &[&str]) -> Result<Resolution, Error> {
    let only: Vec<String> = only.iter().map(|name| (*name).to_owned()).collect();
    accept_part(&bench.store, &proposal.id, &only, &no_guard, NOW)
}

fn bench() -> (Bench, Proposal) {
    let bench = Bench::quick(&[("a", b"one two\r\nthree\xff four"), ("b", b"x"), ("from", b"m")]);
    let ops = vec![
        bench.splice("a", &[(0..3, "1"), (4..7, "2222"), (9..14, ""), (16..20, "4")]),
        bench.splice("b", &[(0..1, "y")]),
        create("new", "n"),
        rename("from", "to"),
    ];
    let proposal = bench.prepare(ops).unwrap();
    (bench, proposal)
}

#[test]
fn the_rest_is_the_next_revision() {
    let (bench, proposal) = bench();
    let answer = part(&bench, &proposal, &["p2", "new"]).unwrap();
    assert_eq!((answer.state, &answer.files), (State::Accepted, &vec!["a".to_owned(), "new".to_owned()]));
    assert_ne!(answer.proposal, proposal.id);
    assert_eq!((bench.get("a"), bench.get("new")), (b"one 2222\r\nthree\xff four".to_vec(), b"n".to_vec()));
    let rest = bench.store.proposal(&proposal.id, NOW).unwrap();
    assert_eq!((rest.state, rest.files()), (State::Pending, ["a", "b", "from", "to"].map(str::to_owned).to_vec()));
    let ids: Vec<&str> = rest.places.iter().map(|place| place.id.as_str()).collect();
    assert_eq!(ids, ["p1", "p3", "p4", "p5"]);
    let told = answer.rest.unwrap();
    assert_eq!((told.proposal, told.digest, told.places.len()), (rest.id.clone(), rest.digest.to_hex(), 4));
    assert_ne!(rest.digest, proposal.digest);
    assert_eq!((rest.places[2].line, rest.places[2].old_range.start), (2, 17));
    // One part after the other comes to the same as all at once.
    part(&bench, &rest, &["p4"]).unwrap();
    assert_eq!(bench.get("a"), b"one 2222\r\nthree\xff 4");
    let last = part(&bench, &rest, &["a", "b", "to"]).unwrap();
    // What was left was all of it, so it is the proposal itself.
    assert_eq!((last.proposal, last.rest), (proposal.id.clone(), None));
    assert_eq!(bench.get("a"), b"1 2222\r\n\xff 4");
    assert_eq!((bench.get("b"), bench.get("to")), (b"y".to_vec(), b"m".to_vec()));
    // Each can be taken back, the last one first.
    for _ in 0..3 {
        undo(&bench.store, &bench.root, None, NOW).unwrap();
    }
    assert_eq!((bench.get("a"), bench.get("from")), (b"one two\r\nthree\xff four".to_vec(), b"m".to_vec()));
    assert!(!bench.root.join("new").exists());
}

#[test]
fn every_choice_and_its_rest_come_to_the_whole() {
    for choice in 0u32..32 {
        let (bench, proposal) = bench();
        let chosen: Vec<String> =
            (0..5).filter(|at| choice & (1 << at) != 0).map(|at| format!("p{}", at + 1)).collect();
        let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
        if !chosen.is_empty() {
            part(&bench, &proposal, &chosen).unwrap();
        }
        bench.accept(&proposal).unwrap();
        assert_eq!(bench.get("a"), b"1 2222\r\n\xff 4", "{chosen:?}");
        assert_eq!((bench.get("b"), bench.get("to")), (b"y".to_vec(), b"m".to_vec()));
    }
}

#[test]
fn what_belongs_together_goes_together() {
    let bench = Bench::quick(&[("a", b"12"), ("b", b"34"), ("from", b"m")]);
    let grouped = |path: &str, range: std::ops::Range<usize>, group: Option<&str>| PlacedEdit {
        group: group.map(str::to_owned),
        ..PlacedEdit::new(Edit { range, text: format!("{path}!").into_bytes() })
    };
    let splice = |path: &str, edits: Vec<PlacedEdit>| FileOp::Splice {
        path: path.into(),
        old: ContentHash::of(&bench.get(path)),
        edits,
    };
    let ops = vec![
        splice("a", vec![grouped("a", 0..1, Some("g")), grouped("a", 1..2, None)]),
        splice("b", vec![grouped("b", 0..1, Some("g")), grouped("b", 1..2, None)]),
        splice("from", vec![grouped("m", 0..1, None)]),
        rename("from", "to"),
    ];
    let proposal = bench.prepare(ops).unwrap();
    part(&bench, &proposal, &["p1"]).unwrap();
    assert_eq!((bench.get("a"), bench.get("b")), (b"a!2".to_vec(), b"b!4".to_vec()));
    // A file that moves is not cut.
    part(&bench, &proposal, &["from"]).unwrap();
    assert_eq!(bench.get("to"), b"m!");
    let rest = bench.store.proposal(&proposal.id, NOW).unwrap();
    assert_eq!(rest.files(), ["a", "b"]);
}

#[test]
fn a_choice_that_cannot_be_made() {
    let (bench, proposal) = bench();
    let error = part(&bench, &proposal, &["p1", "p99"]).unwrap_err();
    assert_eq!(error.kind(), Kind::BadInput);
    assert!(error.to_string().contains("`p99`"), "{error}");
    // The judge of results is asked about the part.
    let guard =
        |candidate: &vise_edit::Candidate<'_>| vec![Refusal::of_file(candidate.file, Reason::SyntaxError, "broken")];
    let only = ["p1".to_owned()];
    let error = accept_part(&bench.store, &proposal.id, &only, &guard, NOW).unwrap_err();
    assert_eq!(error.refusals()[0].reason, Reason::SyntaxError);
    bench.put("a", b"other");
    let error = part(&bench, &proposal, &["p1"]).unwrap_err();
    assert_eq!((error.kind(), error.files()), (Kind::Stale, &["a".to_owned()][..]));
    // What failed left no proposal behind, and the whole is as it was.
    assert_eq!(bench.store.list(&bench.root, NOW).unwrap().len(), 1);
    assert_eq!(bench.store.proposal(&proposal.id, NOW).unwrap().digest, proposal.digest);
    part(&bench, &proposal, &["b"]).unwrap();
    assert_eq!(bench.get("b"), b"y");
}

#[test]
fn a_part_and_its_rest_are_decided_in_one_step() {
    // The process ends before each call in turn.
    let calls = {
        let (bench, proposal) = bench();
        let files = Hooked::new(|_, _, _| Ok(()));
        let store = Store::with_files(&bench.state, files.clone());
        accept_part(&store, &proposal.id, &["p2".to_owned(), "b".to_owned()], &no_guard, NOW).unwrap();
        files.calls()
    };
    for fault in 1..=calls {
        let (bench, proposal) = bench();
        let ops =
            Hooked::new(move |number, _, _| if number >= fault { Err(io::ErrorKind::Other.into()) } else { Ok(()) });
        let store = Store::with_files(&bench.state, ops);
        let _ = accept_part(&store, &proposal.id, &["p2".to_owned(), "b".to_owned()], &no_guard, NOW);
        let clean = Store::with_files(&bench.state, Hooked::new(|_, _, _| Ok(())));
        recover(&clean, &bench.root, true).unwrap();
        let whole = clean.proposal(&proposal.id, NOW).unwrap();
        let done = bench.get("b") == b"y";
        assert_eq!(bench.get("a") == b"one 2222\r\nthree\xff four", done, "call {fault}");
        assert_eq!(whole.digest != proposal.digest, done, "call {fault}");
        // And all of it can be had.
        let draft = Draft { ops: vec![create("other", "")], ..Draft::default() };
        prepare(&clean, &bench.root, draft, NOW, &no_guard).unwrap();
        vise_edit::resolve(&clean, &proposal.id, vise_edit::Decision::Accept, NOW).unwrap();
        assert_eq!((bench.get("a"), bench.get("b")), (b"1 2222\r\n\xff 4".to_vec(), b"y".to_vec()), "call {fault}");
    }
}
