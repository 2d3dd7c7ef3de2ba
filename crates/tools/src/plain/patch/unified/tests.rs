use super::*;

/// What each part of a patch is about: `old>new`, `x` or `-` for a mode, the number of its hunks.
#[track_caller]
fn check(patch: &str, expected: &[&str]) {
    let files = read(patch.as_bytes()).unwrap();
    let found: Vec<String> = files
        .iter()
        .map(|file| {
            let name = |name: &Option<Name>| name.as_ref().map_or("none".to_owned(), |n| n.plain.display().to_string());
            let mode = match file.executable {
                None => "",
                Some(true) => " x",
                Some(false) => " -",
            };
            format!("{}>{}{mode} {}", name(&file.from), name(&file.to), file.hunks.len())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn names_with_and_without_prefixes() {
    check("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", &["f>f 1"]);
    check("--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", &["f>f 1"]);
    check("--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n", &["a/f>a/f 1"]);
    check("--- i/f\t2020\n+++ w/f\t2020\n@@ -1 +1 @@\n-a\n+b\n", &["f>f 1"]);
    check("--- f.orig\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", &["f>f 1"]);
    check("--- \"a/\\303\\251 \\\"\"\n+++ \"b/\\303\\251 \\\"\"\n@@ -1 +1 @@\n-a\n+b\n", &["é \">é \" 1"]);
    check("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", &["none>f 1"]);
    check("--- f\t2020-01-01\n+++ f\t1970-01-01 00:00:00 +0000\n@@ -1 +0,0 @@\n-b\n", &["f>none 1"]);
    check("--- f\t1970-01-01 00:00:00 +0000\n+++ f\t2020\n@@ -0,0 +1 @@\n+b\n", &["none>f 1"]);
}

#[test]
fn headers_of_git() {
    check("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", &["f>f x 0"]);
    check("diff --git a/f b/f\nnew file mode 100755\nindex 0..1\n", &["none>f x 0"]);
    check("diff --git a/f b/f\ndeleted file mode 100644\n", &["f>none 0"]);
    check("diff --git a/f g b/f g\nnew file mode 100644\n", &["none>f g - 0"]);
    check("diff --git f f\nnew file mode 100644\n", &["none>f - 0"]);
    check(
        "diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
        &["f>g 1"],
    );
    check("From: me\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@ fn x\n-a\n+b\n-- \n2.39\n", &["f>f 1"]);
    // A file between two headers that says nothing is none.
    check("diff --git a/f b/f\nindex 1..2\ndiff --git a/g b/g\nold mode 100755\nnew mode 100644\n", &["g>g - 0"]);
    let refused = |patch: &str| read(patch.as_bytes()).unwrap()[0].refusal.map(|(reason, _)| reason);
    assert_eq!(refused("diff --git a/f b/f\nnew file mode 120000\n"), Some(Reason::NotAFile));
    assert_eq!(refused("diff --git a/f b/f\nBinary files a/f and b/f differ\n"), Some(Reason::Binary));
    assert_eq!(refused("diff --git a/f b/g\ncopy from f\ncopy to g\n"), Some(Reason::Other));
}

#[test]
fn hunks_are_counted() {
    let patch =
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n\\ No newline at end of file\n@@ -9 +9,0 @@\n-z\n";
    let files = read(patch.as_bytes()).unwrap();
    let hunk = &files[0].hunks[0];
    assert_eq!(hunk.lines[1..], [(Mark::Removed, b"-- b".to_vec()), (Mark::Added, b"++ c".to_vec())]);
    assert_eq!((hunk.open, files[0].hunks[1].open), (Some((false, true)), Some((false, false))));
    assert_eq!((hunk.at, files[0].hunks[1].at), (Some(1), Some(9)));
    // Without numbers a hunk ends with its lines.
    check("--- a/f\n+++ b/f\n@@ ... @@\n a\n-b\n+c\n--- a/g\n+++ b/g\n@@\n-x\n", &["f>f 1", "g>g 1"]);
    // Turned line ends.
    check("--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", &["f>f 1"]);
    let turned = read(b"--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n").unwrap();
    assert_eq!(turned[0].hunks[0].lines[0].1, b"a");
}

#[test]
fn what_is_no_patch_says_where() {
    for (patch, word) in [
        ("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n", "fewer lines"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n-b\n+c\n", "other lines"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n+c\n", "more lines"),
        ("--- a/f\n+++ b/f\n@@ -x +1 @@\n-a\n", "`@@` line"),
        ("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\nxyz\n", "fewer lines"),
        ("--- /dev/null\n+++ /dev/null\n", "no file"),
        ("diff --git a/f b/f\nnew mode 100600\n", "100600"),
    ] {
        let error = read(patch.as_bytes()).unwrap_err();
        assert!(error.message.contains(word), "{patch}: {}", error.message);
    }
}
