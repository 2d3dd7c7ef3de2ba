//! What lldb-dap shows of real programs.

#![cfg(target_os = "linux")]

use support::{World, at, local, place, stop};
use vise_dap::{How, State, Verdict};

#[allow(dead_code, reason = "shared with the other tests; each uses its part")]
mod support;

const LIB: &str = "pub fn mean(xs: &[i64]) -> i64 {
    let n = xs.len() as i64;
    let total: i64 = xs.iter().sum();
    total / n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good() {
        assert_eq!(mean(&[1, 2, 6]), 3);
    }

    #[test]
    fn wrong() {
        let xs = vec![1, 2, 6];
        let got = mean(&xs);
        assert_eq!(got, 4);
    }

    #[test]
    fn empty() {
        mean(&[]);
    }

    #[test]
    #[should_panic]
    fn panics() {
        mean(&[]);
    }

    #[test]
    fn result() -> Result<(), std::num::ParseIntError> {
        let text = \"x\";
        let _n: i64 = text.parse()?;
        Ok(())
    }

    #[test]
    #[ignore]
    fn ignored() {}
}
";

fn package() -> World {
    let world = World::new();
    world.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n");
    world.write("src/lib.rs", LIB);
    world
}

#[test]
fn tests_of_a_package() {
    let world = package();
    let report = world.failure("tests::wrong", &["got + 1", "xs"]);
    assert_eq!((report.verdict, report.state), (Some(Verdict::Failed), State::Ended), "{report:?}");
    assert_eq!(place(&report), ("src/lib.rs".to_owned(), 20, "shop::tests::wrong".to_owned()));
    assert_eq!(local(&report, "got"), "3");
    let exception = stop(&report).exception.clone().unwrap();
    assert!(exception.message.contains("left: 3") && exception.kind == "panic", "{exception:?}");
    assert_eq!(stop(&report).exprs[0].value.as_deref(), Some("4"), "{:?}", stop(&report).exprs);
    assert_eq!(report.exit_code, Some(Some(101)));
    let report = world.failure("shop::tests::empty", &[]);
    assert_eq!((place(&report).1, local(&report, "n").as_str()), (4, "0"));
    for (test, verdict) in [
        ("tests::good", Verdict::Passed),
        ("tests::panics", Verdict::Passed),
        ("tests::ignored", Verdict::Skipped),
        ("tests::nothing", Verdict::NoSuchTest),
    ] {
        let report = world.failure(test, &[]);
        assert_eq!(report.verdict, Some(verdict), "{test}: {report:?}");
        assert_eq!(report.stopped, Some(None), "{test}");
    }
    let report = world.failure("tests::result", &[]);
    assert_eq!((report.verdict, place(&report).1), (Some(Verdict::Failed), 37), "{report:?}");
    world.write("src/lib.rs", "pub fn x() -> i64 { \"no\" }\n");
    let report = world.failure("tests::good", &[]);
    assert_eq!(report.verdict, Some(Verdict::BuildFailed));
    assert!(report.build.unwrap().text.unwrap().contains("mismatched types"));
}

fn compile(world: &World, name: &str, text: &str) {
    let source = world.write(&format!("{name}.c"), text);
    let built =
        std::process::Command::new("cc").arg("-g").arg("-O0").arg(source).arg("-o").arg(world.root.join(name)).status();
    assert!(built.unwrap().success());
}

#[test]
fn a_program_in_c() {
    let world = World::new();
    compile(
        &world,
        "app",
        "#include <stdio.h>\nint sum(int *xs, int n) {\n  int total = 0;\n  for (int i = 0; i < n; i++)\n    total += xs[i];\n  return total;\n}\nint main(void) {\n  int xs[] = {1, 2, 3};\n  int got = sum(xs, 3);\n  printf(\"%d\\n\", got);\n  return getchar() == -1 ? got : 1;\n}\n",
    );
    let report = world.launch("app", &[("app.c", 5)]);
    assert_eq!(place(&report), ("app.c".to_owned(), 5, "sum".to_owned()));
    assert_eq!((local(&report, "total").as_str(), stop(&report).breakpoint), ("0", Some(1)));
    assert_eq!(world.eval("xs[1]", false).value.as_deref(), Some("2"));
    assert_eq!(world.eval("n + 1", false).value.as_deref(), Some("4"));
    assert!(world.eval("sum(xs, 2)", false).error.is_some());
    assert_eq!(world.eval("n", false).value.as_deref(), Some("3"), "`n` is a command of the adapter, too");
    let report = world.ask(vise_dap::Op::Breaks { set: vec![], clear: vec!["1".to_owned()] }).unwrap();
    assert_eq!(report.breakpoints, Some(vec![]));
    assert_eq!(at(&world.go(How::Out)).function, "main");
    let report = world.go(How::Continue);
    assert_eq!((report.state, report.exit_code), (State::Exited, Some(Some(6))), "{report:?}");
}

#[test]
fn a_crash() {
    let world = World::new();
    compile(&world, "app", "int deref(int *p) {\n  return *p;\n}\nint main(void) {\n  return deref(0);\n}\n");
    let report = world.launch("app", &[]);
    assert_eq!((stop(&report).reason.as_str(), stop(&report).signal.as_deref()), ("signal", Some("SIGSEGV")));
    assert_eq!(place(&report), ("app.c".to_owned(), 2, "deref".to_owned()));
    let report = world.go(How::Continue);
    assert_eq!((report.state, report.signal.clone()), (State::Exited, Some(Some("SIGSEGV".to_owned()))), "{report:?}");
}
