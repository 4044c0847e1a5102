//! Numbers of Proof in print.

use couplet_playback::{decimal, grouped, shortest, tr, written};
use leptos::prelude::*;

/// With a sign in front, a proper minus among them: "+0.18", "−0.12".
pub fn signed(value: f64, decimals: usize) -> String {
    let sign = if value < 0.0 { '−' } else { '+' };
    format!("{sign}{}", decimal(value.abs(), decimals))
}

/// A probability: "0.30", "0" for nothing and "<0.001" for next to nothing.
pub fn share(value: f64, decimals: usize) -> String {
    let smallest = 10f64.powi(-(decimals as i32));
    if value <= 0.0 {
        "0".to_owned()
    } else if value < 0.5 * smallest {
        format!("<{}", shortest(smallest))
    } else {
        decimal(value, decimals)
    }
}

/// How a p-value is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Printed {
    /// With so many decimals.
    Equal(f64, usize),
    /// Below this power of ten.
    Below(i64),
}

/// Floats end there.
const SMALLEST_POWER: i64 = -300;

/// A p-value as it is printed: "p = 0.82", "p < 10^-164", and for what is too small for a float
/// "p < 10^-300".
pub fn printed(p: f64) -> Printed {
    if p >= 0.095 {
        Printed::Equal(p, 2)
    } else if p >= 0.0095 {
        Printed::Equal(p, 3)
    } else if p >= 0.001 {
        Printed::Equal(p, 4)
    } else if p > 0.0 {
        // The least power of ten that is above it.
        Printed::Below((p.log10().floor() as i64 + 1).max(SMALLEST_POWER))
    } else {
        Printed::Below(SMALLEST_POWER)
    }
}

/// A p-value on the page.
pub fn p_value(p: f64) -> AnyView {
    match printed(p) {
        Printed::Equal(p, decimals) => format!("p = {}", decimal(p, decimals)).into_any(),
        Printed::Below(power) => view! { "p < 10"<sup>{format!("−{}", -power)}</sup> }.into_any(),
    }
}

/// A p-value as it can be heard.
pub fn spoken_p_value(p: f64) -> String {
    match printed(p) {
        Printed::Equal(p, decimals) => format!("p = {}", decimal(p, decimals)),
        Printed::Below(power) => tr!("p < 10 to the −{}", -power),
    }
}

/// A chi-square statistic.
pub fn statistic(value: f64) -> String {
    if value.is_infinite() {
        "∞".to_owned()
    } else if value < 100.0 {
        decimal(value, 2)
    } else if value < 1e9 {
        grouped(value.round() as usize)
    } else {
        written(&format!("{value:.2e}"))
    }
}
