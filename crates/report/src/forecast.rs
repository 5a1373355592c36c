//! How much work an exploration will be, before it is done.

use crate::{power_of_ten, thousands};
use serde::Serialize;
use std::collections::BTreeMap;

/// How much work the exploration of one instance will be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    pub file: String,
    /// Sizes and limits.
    #[serde(serialize_with = "crate::stream::as_bound")]
    pub bound: BTreeMap<String, String>,
    pub executions: f64,
    /// Half the width of the interval that has the truth about 19 times out of 20; nothing when all were
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// A few of those that were drawn make up much of the number: it is more likely too small than too large.
    #[serde(rename = "rough", skip_serializing_if = "std::ops::Not::not")]
    pub is_rough: bool,
    /// How many executions were drawn.
    pub walks: u32,
    /// How long it takes with one worker.
    pub seconds: f64,
    /// Executions per second.
    pub per_second: f64,
    /// As a power of ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interleavings: Option<f64>,
    /// What contributes, and by which factor, the greatest first.
    pub causes: Vec<(String, f64)>,
}

/// The lines about one instance.
pub fn forecast_lines(forecast: &Forecast) -> String {
    let mut heading = forecast.file.clone();
    for (name, value) in &forecast.bound {
        heading.push_str(&format!("  {name}={value}"));
    }
    let mut lines = vec![heading, line("executions", &executions(forecast))];
    lines.push(line("time", &time(forecast)));
    if let Some(power) = forecast.interleavings {
        let number = format!("about {}", large(power));
        lines.push(line("interleavings", &number));
    }
    for (at, (cause, factor)) in forecast.causes.iter().enumerate() {
        let name = if at == 0 { "because of" } else { "" };
        lines.push(line(name, &format!("{cause}: {}x", about(*factor))));
    }
    lines.join("\n") + "\n"
}

/// How long it takes. The speed of a short run means nothing.
fn time(forecast: &Forecast) -> String {
    let time = duration(forecast.seconds);
    match forecast.margin {
        None => time,
        Some(_) => format!(
            "{time}, at {} a second with one worker",
            about(forecast.per_second)
        ),
    }
}

fn line(name: &str, what: &str) -> String {
    format!("  {name:13}  {what}")
}

/// A few of the random ones make up most of the number: there may be others that none of them met.
const ROUGH: &str = ", perhaps many times more: they differ much";

fn executions(forecast: &Forecast) -> String {
    match forecast.margin {
        None => format!(
            "{}, all of them counted",
            thousands(forecast.executions as u64)
        ),
        Some(margin) => {
            format!(
                "about {} ± {} ({} random ones){}",
                about(forecast.executions),
                about(margin),
                thousands(u64::from(forecast.walks)),
                if forecast.is_rough { ROUGH } else { "" }
            )
        }
    }
}

/// Two digits: `31,000`, `2.4`, and `10^19` where nobody counts zeros any more.
pub fn about(number: f64) -> String {
    if number >= 1e15 {
        return power_of_ten(number.log10());
    }
    if number < 9.95 {
        let text = format!("{number:.1}");
        return text.strip_suffix(".0").unwrap_or(&text).to_owned();
    }
    let unit = 10f64.powf(number.log10().floor() - 1.0);
    thousands(((number / unit).round() * unit).round() as u64)
}

fn large(power: f64) -> String {
    match power < 6.0 {
        true => about(10f64.powf(power)),
        false => power_of_ten(power),
    }
}

/// `0.3 s`, `12 s`, `5 minutes`, `3 days`.
fn duration(seconds: f64) -> String {
    let units = [
        (365.25 * 86_400.0, "years"),
        (86_400.0, "days"),
        (3600.0, "hours"),
        (60.0, "minutes"),
    ];
    let unit = units.iter().find(|(length, _)| seconds >= 2.0 * length);
    match unit {
        Some((length, name)) => format!("about {} {name}", about(seconds / length)),
        None if seconds < 0.05 => "no time at all".to_owned(),
        None => format!("about {} s", about(seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_enough() {
        assert_eq!(about(31_415.9), "31,000");
        assert_eq!(about(2.43), "2.4");
        assert_eq!(about(3.0), "3");
        assert_eq!(about(9.97), "10");
        assert_eq!(about(3e18), "10^18");
        assert_eq!(duration(0.01), "no time at all");
        assert_eq!(duration(90.0), "about 90 s");
        assert_eq!(duration(300.0), "about 5 minutes");
        assert_eq!(duration(1e9), "about 32 years");
    }
}
