//! What goes in and out of a child, however it behaves.

#![cfg(target_os = "linux")]

use std::time::Duration;
use support::{children, new_mark, python, text};
use vise_peer::{Error, Exit, Incoming, Peer, Start, Status};

mod support;

const GRACE: Duration = Duration::from_secs(2);

async fn started(code: &str) -> (Peer, Incoming) {
    Peer::start(python(&new_mark(), code)).await.unwrap()
}

#[tokio::test]
async fn a_banner_and_junk_stand_before_frames() {
    let (peer, mut incoming) = started(
        r#"
print("Welcome!\n\nContent", flush=True)
write([1])
print("> log", end="", flush=True)
write([2])
write(read())
"#,
    )
    .await;
    assert_eq!(text(&mut incoming).await, "[1]");
    assert_eq!(text(&mut incoming).await, "[2]");
    peer.send(br#"{"q": 1}"#).await.unwrap();
    assert_eq!(text(&mut incoming).await, r#"{"q": 1}"#);
    assert!(incoming.next().await.is_none());
    assert_eq!(peer.exited().await, Exit::Code(0));
    assert_eq!((peer.junk().lines, peer.junk().latest.as_str()), (3, "> log"));
}

#[tokio::test]
async fn a_child_that_writes_byte_by_byte() {
    let (_peer, mut incoming) = started(
        r#"
for byte in b'hi\r\nContent-Length: 2\r\n\r\n{}content-length:2\n\n[]':
    os.write(1, bytes([byte]))
    time.sleep(0.001)
"#,
    )
    .await;
    assert_eq!(text(&mut incoming).await, "{}");
    assert_eq!(text(&mut incoming).await, "[]");
    assert!(incoming.next().await.is_none());
}

#[tokio::test]
async fn a_child_that_floods_standard_error_while_it_talks() {
    let (peer, mut incoming) = started(
        r#"
os.write(2, b"x" * (1 << 20) + b"\n")
for turn in range(90):
    sys.stderr.buffer.write(b"%06d " % turn + b"y" * 99993 + b"\n")
    if turn % 10 == 0:
        sys.stderr.flush()
        write(read())
for turn in range(500):
    print("line", turn, file=sys.stderr)
os.write(2, b"\xff end\n")
write(["done"])
"#,
    )
    .await;
    for turn in 0..9 {
        peer.send(format!("[{turn}]").as_bytes()).await.unwrap();
        assert_eq!(text(&mut incoming).await, format!("[{turn}]"));
    }
    assert_eq!(text(&mut incoming).await, r#"["done"]"#);
    peer.ended().await;
    let tail = peer.stderr();
    let lines: String = (0..500).map(|turn| format!("line {turn}\n")).collect();
    assert_eq!(tail.total, (1 << 20) + 1 + 90 * 100_001 + lines.len() as u64 + 6);
    let mut expected: Vec<String> = (301..500).map(|turn| format!("line {turn}")).collect();
    expected.push("\u{fffd} end".to_string());
    assert_eq!(tail.text.lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_child_that_never_reads_is_still_heard() {
    let mut start = python(
        &new_mark(),
        r#"
for turn in range(1000):
    write([turn])
    time.sleep(0.01)
"#,
    );
    start.limits.write = Duration::from_millis(300);
    let (peer, mut incoming) = Peer::start(start).await.unwrap();
    let body = vec![b' '; 1 << 20];
    let (first, queued) = tokio::join!(peer.send(&body), peer.send(b"{}"));
    let Err(Error::InputStuck { waited, written, length }) = &first else { panic!("{first:?}") };
    assert_eq!((*waited, *length), (Duration::from_millis(300), (1 << 20) + "Content-Length: 1048576\r\n\r\n".len()));
    assert!((4096..*length).contains(written), "what a pipe holds: {written}");
    assert_eq!(queued.unwrap_err().to_string(), first.as_ref().unwrap_err().to_string());
    assert_eq!(peer.send(b"{}").await.unwrap_err().to_string(), first.unwrap_err().to_string());
    // All that time it talked, and goes on.
    for turn in 0..60 {
        assert_eq!(text(&mut incoming).await, format!("[{turn}]"));
    }
    assert_eq!(peer.status(), Status::Running);
    assert_eq!(peer.stop(GRACE).await.survivors, []);
}

#[tokio::test]
async fn a_child_that_is_not_listened_to_waits() {
    let (peer, mut incoming) = started(
        r#"
for turn in range(40):
    write("x" * 1000000)
    print(turn, file=sys.stderr, flush=True)
"#,
    )
    .await;
    // 16 MiB wait in the queue, one frame is in hand, and 64 KiB are in the pipe: far from all.
    let count = |peer: &Peer| peer.stderr().text.lines().count();
    while count(&peer) < 10 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(count(&peer) < 20, "{}", count(&peer));
    for _ in 0..40 {
        assert_eq!(text(&mut incoming).await.len(), 1_000_002);
    }
    assert!(incoming.next().await.is_none());
}

#[tokio::test]
async fn large_frames_both_ways_at_once() {
    let (peer, mut incoming) = started("for _ in range(3): write(read())").await;
    let body = format!("\"{}\"", "z".repeat(20_000_000));
    let send = async {
        for _ in 0..3 {
            peer.send(body.as_bytes()).await.unwrap();
        }
    };
    let receive = async {
        for _ in 0..3 {
            assert_eq!(text(&mut incoming).await, body);
        }
    };
    tokio::join!(send, receive);
}

#[tokio::test]
async fn what_is_no_frame_ends_the_stream_but_not_the_child() {
    let (peer, mut incoming) = started("write([])\nos.write(1, b'Content-Length: many\\n')\ntime.sleep(300)").await;
    assert_eq!(text(&mut incoming).await, "[]");
    let error = incoming.next().await.unwrap().unwrap_err();
    assert!(error.to_string().starts_with("the header `Content-Length: many` gives no length"), "{error}");
    assert!(incoming.next().await.is_none());
    assert_eq!(peer.status(), Status::Running);
    peer.stop(GRACE).await;
}

#[tokio::test]
async fn a_child_that_dies_inside_a_frame() {
    let (peer, mut incoming) = started("os.write(1, b'Content-Length: 9\\r\\n\\r\\n{')\nos._exit(3)").await;
    let error = incoming.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Framing(vise_framing::Error::EndInBody { got: 1, length: 9 })), "{error}");
    assert_eq!(peer.exited().await, Exit::Code(3));
}

#[tokio::test]
async fn closed_streams_are_no_end() {
    let (peer, mut incoming) = started("write([])\nos.close(1)\nos.close(0)\ntime.sleep(300)").await;
    assert_eq!(text(&mut incoming).await, "[]");
    assert!(incoming.next().await.is_none());
    assert_eq!(peer.status(), Status::Running);
    while peer.send(b"{}").await.is_ok() {}
    assert!(matches!(peer.send(b"{}").await, Err(Error::InputClosed)));
    assert_eq!(peer.stop(GRACE).await.killed, []);
}

#[tokio::test]
async fn an_input_that_is_closed_by_us_ends_a_child_that_waits_for_it() {
    let (peer, mut incoming) = started("while True:\n m = read()\n if m is None: sys.exit(4)\n write(m)").await;
    let sent = peer.send(b"[1]");
    assert!(sent.await.is_ok());
    peer.close_input();
    assert!(matches!(peer.send(b"[2]").await, Err(Error::InputClosed)));
    assert_eq!(text(&mut incoming).await, "[1]");
    assert_eq!(peer.exited().await, Exit::Code(4));
}

#[tokio::test]
async fn a_child_has_three_descriptors_its_folder_and_its_arguments() {
    let folder = tempfile::tempdir().unwrap();
    // Open and inheritable: what a careless part of ours, or whoever started us, leaves behind.
    let ours = rustix::io::dup(std::fs::File::open(folder.path()).unwrap()).unwrap();
    rustix::io::fcntl_setfd(&ours, rustix::io::FdFlags::empty()).unwrap();
    let mut start = python(&new_mark(), "");
    start.folder = folder.path().to_path_buf();
    let code = "import os, sys; sys.path.insert(0, sys.argv[1]); from frames import write\n\
                fds = sorted(int(f) for f in os.listdir('/proc/self/fd'))\n\
                write([fds[:3], [os.path.realpath(f'/proc/self/fd/{f}') for f in fds[3:-1]], os.getcwd(), sys.argv[2:]])";
    let odd = "$(touch x); `y` 'z' \"w\" *";
    start.arguments = vec!["-c".into(), code.into(), children().into(), odd.into()];
    let (peer, mut incoming) = Peer::start(start).await.unwrap();
    let expected =
        format!("[[0, 1, 2], [], {:?}, [{:?}]]", folder.path().canonicalize().unwrap().to_str().unwrap(), odd);
    assert_eq!(text(&mut incoming).await, expected);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    peer.ended().await;
    drop(ours);
}

#[tokio::test]
async fn a_child_does_not_get_our_secrets() {
    // The helper passes on what it gets, so its owner's environment is the one that is scrubbed.
    let names = ["OTEL_SERVICE_NAME", "A_TOKEN", "B_API_KEY", "MY_SECRET_X", "db_password", "GOOGLE_CREDENTIALS"];
    let code =
        "import os; from frames import write\nwrite({n: os.environ.get(n) for n in os.environ['NAMES'].split()})";
    let output = std::process::Command::new(support::helper())
        .args(["owner", "exit"])
        .arg(tempfile::tempdir().unwrap().path())
        .args(["python3", "-c", code])
        .current_dir(children())
        .env("PYTHONPATH", children())
        .env("NAMES", names.join(" ") + " HARMLESS")
        .env("HARMLESS", "kept")
        .envs(names.map(|name| (name, "leaked")))
        .output()
        .unwrap();
    let none: String = names.iter().map(|name| format!("\"{name}\": null, ")).collect();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{{{none}\"HARMLESS\": \"kept\"}}\n"));
}

async fn not_started(change: impl FnOnce(&mut Start)) -> String {
    let mark = new_mark();
    let mut start = python(&mark, "");
    change(&mut start);
    let error = Peer::start(start).await.unwrap_err().to_string();
    for _ in 0..300 {
        if support::marked(&mark).is_empty() {
            return error;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still there: {:?}", support::marked(&mark))
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    assert_eq!(
        not_started(|start| start.program = "no-such-server".into()).await,
        "there is no program `no-such-server`; install it, or name it by its path"
    );
    assert_eq!(
        not_started(|start| start.program = "./frames.py".into()).await,
        "`./frames.py` cannot be started: Permission denied (os error 13)"
    );
    assert_eq!(
        not_started(|start| start.folder = "/no/such".into()).await,
        "`/no/such` is no folder; a child needs one to work in"
    );
    assert_eq!(
        not_started(|start| start.guard.program = "/no/guard".into()).await,
        "the guard `/no/guard` cannot be started: No such file or directory (os error 2); without it nothing is run"
    );
    // A program that is no guard ends, or never says a word.
    assert_eq!(
        not_started(|start| start.guard.program = "true".into()).await,
        "the guard ended before the child ran; starting again may do"
    );
    let mute = |start: &mut Start| {
        start.guard.program = "python3".into();
        start.guard.arguments = vec!["-c".into(), "import time; time.sleep(300)".into()];
        start.limits.start = Duration::from_millis(200);
    };
    assert_eq!(not_started(mute).await, "the child was not running within `200ms`; the machine may be overloaded");
}

#[test]
fn a_guard_that_is_started_by_hand_says_so() {
    let output = std::process::Command::new(support::helper()).args(["guard", "true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(
        words.starts_with("this guards a child of another process of ours, and is started by that only"),
        "{words}"
    );
}

#[tokio::test]
async fn bytes_come_as_they_are_and_another_environment_than_ours() {
    let code = r#"
import os
sys.stdout.write(os.environ.get("HOME", "none") + os.environ["ONLY"] + str("MY_TOKEN" in os.environ))
"#;
    let base = std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "PYTHONPATH");
    let base = base.chain([("ONLY".into(), "theirs".into()), ("MY_TOKEN".into(), "x".into())]).collect();
    let start = Start { framed: false, base: Some(base), ..python(&new_mark(), code) };
    let (peer, mut incoming) = Peer::start(start).await.unwrap();
    let mut all = Vec::new();
    while let Some(chunk) = incoming.next().await {
        all.extend(chunk.unwrap());
    }
    assert_eq!(String::from_utf8(all).unwrap(), "nonetheirsFalse");
    assert_eq!(peer.exited().await, Exit::Code(0));
}
