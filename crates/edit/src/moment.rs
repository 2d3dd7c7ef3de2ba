//! A moment, handed in by whoever has a clock.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A moment to the second. It shows and serializes as RFC 3339 in UTC in what people and agents read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: u64,
}

impl Moment {
    /// How many seconds after `earlier` this is; 0 where it is before.
    pub fn since(self, earlier: Moment) -> u64 {
        self.seconds.saturating_sub(earlier.seconds)
    }
}

impl From<SystemTime> for Moment {
    /// A time before 1970 is 1970: a clock that wrong should not stop anybody from editing.
    fn from(time: SystemTime) -> Moment {
        Moment { seconds: time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()) }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The Gregorian calendar repeats every 400 years of 146,097 days. Years here start on the first of March, so
        // that the leap day is the last of its year and months have a regular rhythm of 153 days in five.
        let (days, second) = (self.seconds / 86_400, self.seconds % 86_400);
        let days = days + 719_468;
        let (era, day_of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_show_as_dates() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Moment { seconds }.to_string(), shown);
        }
    }
}
