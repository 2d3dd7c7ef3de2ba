//! What environment a child gets.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// The variable that marks every process of one tree, by which those are found that slipped out of it.
pub const NONCE: &str = "VISE_SESSION";

/// `ours` without what looks like telemetry settings or a secret, and then `given` on top.
///
/// Left out are `OTEL_*`, `*_TOKEN`, `*_API_KEY`, `*SECRET*`, `*PASSWORD*` and `*CREDENTIAL*`, in any case. What is
/// given explicitly stays, whatever it is called.
pub fn scrubbed(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    given: impl IntoIterator<Item = (OsString, OsString)>,
) -> BTreeMap<OsString, OsString> {
    ours.into_iter().filter(|(name, _)| !is_private(name)).chain(given).collect()
}

fn is_private(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.starts_with("OTEL_")
        || ["_TOKEN", "_API_KEY"].iter().any(|end| name.ends_with(end))
        || ["SECRET", "PASSWORD", "CREDENTIAL"].iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(names: &[&str]) -> Vec<(OsString, OsString)> {
        names.iter().map(|name| (name.into(), "x".into())).collect()
    }

    #[test]
    fn secrets_and_telemetry_stay_with_us() {
        let ours = pairs(&[
            "PATH",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "GITHUB_TOKEN",
            "openai_api_key",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD_FILE",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "TOKENIZERS_PARALLELISM",
            "HOTEL_X",
            "_TOKEN_X",
        ]);
        let kept: Vec<_> = scrubbed(ours, []).into_keys().collect();
        assert_eq!(kept, ["HOTEL_X", "PATH", "TOKENIZERS_PARALLELISM", "_TOKEN_X"]);
    }

    #[test]
    fn what_is_given_wins() {
        let given = [("A".into(), "2".into()), ("MY_TOKEN".into(), "3".into())];
        let env = scrubbed([("A".into(), "1".into()), ("MY_TOKEN".into(), "1".into())], given);
        assert_eq!(env.into_iter().collect::<Vec<_>>(), [("A".into(), "2".into()), ("MY_TOKEN".into(), "3".into())]);
    }
}
