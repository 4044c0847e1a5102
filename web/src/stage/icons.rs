//! Marks: shape first, colour second.

use leptos::prelude::*;

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A check.
    Accepted,
    /// Two slanted strokes.
    Rejected,
    /// A diamond.
    Resampled,
    /// A star.
    Bonus,
    /// A dotted ring.
    Discarded,
    /// A dotted line.
    Pencil,
    /// The caret of whoever corrects a proof.
    Forced,
    /// A line that parts.
    Branch,
}

impl Sign {
    /// Class that colours it.
    pub fn class(self) -> &'static str {
        match self {
            Self::Accepted => "acc",
            Self::Rejected => "rej",
            Self::Resampled => "res",
            Self::Bonus => "bon",
            Self::Discarded => "dis",
            Self::Pencil => "pen",
            Self::Forced | Self::Branch => "hand",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Accepted => "M-5-.2L-1.6 3.6L5-4",
            Self::Rejected => "M-5.4 1.6L5.4-1.6M-4.6 4.6L4.6 1.4",
            Self::Resampled => "M0-5.6L5.6 0L0 5.6L-5.6 0Z",
            Self::Bonus => {
                "M0-6L1.76-2.1L6-1.75L2.8 1.1L3.75 5.3L0 3.1L-3.75 5.3L-2.8 1.1L-6-1.75L-1.76-2.1Z"
            }
            Self::Discarded => "M3.6 0A3.6 3.6 0 1 1-3.6 0A3.6 3.6 0 1 1 3.6 0",
            Self::Pencil => "M-6 3H6",
            Self::Forced => "M-4.6 4.4L0-3.6L4.6 4.4",
            Self::Branch => "M-5.5 3.6H-2C1 3.6 1-3.6 5.5-3.6M-2 3.6H5.5",
        }
    }
}

/// A mark inside a drawing, centred on a point.
pub fn mark(sign: Sign, x: f64, y: f64, size: f64) -> impl IntoView {
    let transform = format!("translate({x:.1} {y:.1}) scale({:.3})", size / 12.0);
    view! { <path class=format!("mark {}", sign.class()) d=sign.path() transform=transform /> }
}

/// A mark in running text.
pub fn icon(sign: Sign, size: u32) -> impl IntoView {
    view! {
        <svg class="icon" width=size height=size viewBox="-7 -7 14 14" aria-hidden="true">
            <path class=format!("mark {}", sign.class()) d=sign.path() />
        </svg>
    }
}
