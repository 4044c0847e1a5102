//! The bars of two distributions, and what else comes in rows. All of a kind are one path: drawings are
//! made anew with every token, and elements are what that costs.

use std::fmt::Write as _;

use leptos::prelude::*;

/// Rectangles that look alike.
#[derive(Default)]
pub struct Rectangles(String);

impl Rectangles {
    /// Adds one; what is too thin to be seen is left out.
    pub fn add(&mut self, x: f64, y: f64, width: f64, height: f64) {
        const SEEN: f64 = 0.05;
        if width >= SEEN && height >= SEEN {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
        }
    }

    /// All of them, drawn as one.
    pub fn view(&self, class: &'static str) -> Option<impl IntoView + use<>> {
        let outline = Some(self.0.clone()).filter(|outline| !outline.is_empty());
        outline.map(|outline| view! { <path class=class d=outline /> })
    }
}

/// Dots at these places of a line, for a pen with a round end.
pub fn dots(places: impl Iterator<Item = f64>, y: f64) -> String {
    places.map(|x| format!("M{x:.1} {y:.1}h0")).collect()
}

/// What the draft says hatched behind, what the target says solid in front, and what they share.
#[derive(Default)]
pub struct BarPaths {
    /// The draft's.
    pub draft: Rectangles,
    /// The target's.
    pub target: Rectangles,
    /// Common to both.
    pub overlap: Rectangles,
}

impl BarPaths {
    /// Adds the pair of a token, standing on a base line. `scale`: units of the drawing per unit of
    /// probability; `shift`: how far the target's bar stands to the right of the draft's.
    pub fn stand(
        &mut self,
        x: f64,
        base: f64,
        scale: f64,
        draft: f64,
        target: f64,
        width: f64,
        shift: f64,
    ) {
        let bar = |rectangles: &mut Rectangles, x: f64, width: f64, value: f64| {
            let height = value * scale;
            if height > 0.25 {
                rectangles.add(x, base - height, width, height);
            }
        };
        bar(&mut self.draft, x, width, draft);
        bar(&mut self.target, x + shift, width, target);
        bar(
            &mut self.overlap,
            x + shift,
            width - shift,
            target.min(draft),
        );
    }

    /// All of them.
    pub fn view(&self) -> impl IntoView + use<> {
        view! {
            {self.draft.view("bar-draft")}
            {self.draft.view("bar-hatch")}
            <g class="bar-rise">{self.target.view("bar-target")}{self.overlap.view("bar-overlap")}</g>
            {self.draft.view("bar-outline")}
        }
    }
}

/// The pair of a single token: see [`BarPaths::stand`].
pub fn bars(
    x: f64,
    base: f64,
    scale: f64,
    draft: f64,
    target: f64,
    width: f64,
    shift: f64,
) -> impl IntoView {
    let mut paths = BarPaths::default();
    paths.stand(x, base, scale, draft, target, width, shift);
    paths.view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_not_drawn() {
        let mut bars = BarPaths::default();
        bars.stand(10.0, 100.0, 200.0, 0.25, 0.0, 8.0, 2.0);
        bars.stand(20.0, 100.0, 200.0, 0.001, 0.5, 8.0, 2.0);
        assert_eq!(bars.draft.0, "M10.0 50.0h8.0v50.0h-8.0z");
        assert_eq!(bars.target.0, "M22.0 0.0h8.0v100.0h-8.0z");
        assert_eq!(bars.overlap.0, "");
    }
}
