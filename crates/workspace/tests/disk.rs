//! The steps that the edit gate is made of, on the real disk.

use rustix::fs::XattrFlags;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use vise_workspace::{Disk, Files, Kind};

fn bench() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    (dir, move |name: &str| top.join(name))
}

#[test]
fn a_new_file_replaces_nothing() {
    let (_dir, at) = bench();
    fs::write(at("there"), "x").unwrap();
    symlink("elsewhere", at("link")).unwrap();
    for name in ["there", "link"] {
        assert_eq!(Disk.create_new(&at(name), 0o600).err().map(|error| error.kind()), Some(ErrorKind::AlreadyExists));
    }
    let mut stage = Disk.create_new(&at("new"), 0o600).unwrap();
    stage.write_all(b"a").unwrap();
    stage.write_all(b"b").unwrap();
    stage.sync().unwrap();
    assert_eq!(Disk.read(&at("new")).unwrap(), b"ab");
    assert_eq!(Disk.stat(&at("new")).unwrap().mode, 0o600);
    assert!(!at("elsewhere").exists());
}

#[test]
fn metadata_is_copied() {
    let (_dir, at) = bench();
    fs::write(at("from"), "x").unwrap();
    fs::set_permissions(at("from"), fs::Permissions::from_mode(0o4751)).unwrap();
    let attributes = rustix::fs::setxattr(at("from"), "user.note", b"kept", XattrFlags::empty()).is_ok();
    // Only the superuser may give files away.
    let owned = std::os::unix::fs::chown(at("from"), Some(12), Some(34)).is_ok();
    fs::set_permissions(at("from"), fs::Permissions::from_mode(0o4751)).unwrap();
    let mut stage = Disk.create_new(&at("to"), 0o600).unwrap();
    stage.copy_metadata(&at("from")).unwrap();
    let stat = Disk.stat(&at("to")).unwrap();
    assert_eq!(stat.mode, 0o4751);
    if owned {
        assert_eq!((stat.owner, stat.group), (12, 34));
    }
    if attributes {
        let mut value = [0; 9];
        assert_eq!(rustix::fs::getxattr(at("to"), "user.note", &mut value), Ok(4));
    }
}

#[test]
fn names_change_places_in_one_step() {
    let (_dir, at) = bench();
    fs::write(at("a"), "1").unwrap();
    fs::write(at("b"), "2").unwrap();
    Disk.exchange(&at("a"), &at("b")).unwrap();
    assert_eq!((fs::read(at("a")).unwrap(), fs::read(at("b")).unwrap()), (b"2".to_vec(), b"1".to_vec()));
    assert_eq!(Disk.exchange(&at("a"), &at("gone")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(Disk.rename_new(&at("a"), &at("b")).unwrap_err().kind(), ErrorKind::AlreadyExists);
    Disk.rename_new(&at("a"), &at("c")).unwrap();
    assert!(!at("a").exists());
    assert_eq!(fs::read(at("c")).unwrap(), b"2");
}

#[test]
fn links_are_seen_and_not_followed() {
    let (_dir, at) = bench();
    fs::write(at("file"), "x").unwrap();
    symlink("file", at("link")).unwrap();
    assert_eq!(Disk.stat(&at("link")).unwrap().kind, Kind::Link);
    assert!(Disk.read(&at("link")).is_err());
    let stat = Disk.stat(&at("file")).unwrap();
    let metadata = fs::metadata(at("file")).unwrap();
    assert_eq!((stat.kind, stat.inode, stat.device, stat.len), (Kind::File, metadata.ino(), metadata.dev(), 1));
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RUSR).unwrap();
    assert!(Disk.read(&at("pipe")).is_err());
}

#[test]
fn syncs_and_locks() {
    let (_dir, at) = bench();
    fs::write(at("file"), "x").unwrap();
    Disk.sync_file(&at("file")).unwrap();
    Disk.sync_folder(&at("")).unwrap();
    let lock = Disk.lock(&at("lock")).unwrap();
    let waiter = std::thread::spawn({
        let path = at("lock");
        move || Disk.lock(&path).map(drop)
    });
    std::thread::sleep(std::time::Duration::from_millis(30));
    assert!(!waiter.is_finished());
    drop(lock);
    waiter.join().unwrap().unwrap();
}
