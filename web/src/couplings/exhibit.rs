//! What the scene knows: two distributions, the throw under consideration, what was measured.

use std::sync::Arc;

use couplet_speculation::couplings::{Coupling, Pair, Steps, TokenPair};
use couplet_speculation::input::InputError;
use leptos::prelude::*;

use super::clock::Clock;
use super::presets::{self, PRESETS, Preset};
use super::stage::{Taken, Taking};
use super::swap::Swap;
use super::throwing::Board;
use crate::permalink::{Exhibits, OwnPair};
use crate::store::Store;
use crate::words::Kind;

/// One of the two distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The draft's.
    Draft,
    /// The target's.
    Target,
}

impl Row {
    /// Its name in the markup.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Target => "target",
        }
    }
}

/// Where the two distributions come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// A preset, by its place in the list.
    Preset(usize),
    /// A person moved a handle.
    Edited,
    /// A person typed numbers.
    Typed,
    /// A position of the run on the Stage.
    Stage(Taken),
}

/// Two distributions and everything that is exact about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Exact {
    /// What each token is called.
    pub labels: Vec<String>,
    /// The distributions, checked.
    pub pair: Pair,
    /// Where they come from.
    pub origin: Origin,
    /// The probability that both draw the same token, in the order of [`Coupling::ALL`].
    pub agreement: [f64; 4],
    /// `(1 − TV) / (1 + TV)`.
    pub bound: f64,
    /// The total variation distance.
    pub distance: f64,
}

impl Exact {
    fn new(labels: Vec<String>, pair: Pair, origin: Origin) -> Self {
        Self {
            labels,
            agreement: Coupling::ALL.map(|coupling| pair.agreement(coupling)),
            bound: pair.agreement_bound(),
            distance: pair.total_variation(),
            pair,
            origin,
        }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.pair.vocabulary()
    }

    /// The probabilities of one row.
    pub fn row(&self, row: Row) -> &[f64] {
        match row {
            Row::Draft => self.pair.draft_probs(),
            Row::Target => self.pair.target_probs(),
        }
    }

    /// The largest probability of either row.
    pub fn largest(&self) -> f64 {
        let of = |probs: &[f64]| probs.iter().copied().fold(0.0, f64::max);
        of(self.pair.draft_probs()).max(of(self.pair.target_probs()))
    }

    /// What the tokens are.
    pub fn kind(&self) -> Kind {
        let single = |label: &String| label.chars().count() == 1;
        if self.labels.iter().all(single) {
            Kind::Letter
        } else {
            Kind::Token
        }
    }

    /// What a token is called.
    pub fn label(&self, token: usize) -> String {
        self.labels.get(token).cloned().unwrap_or_default()
    }
}

/// One throw under one coupling.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The distributions.
    pub exact: Arc<Exact>,
    /// What was drawn.
    pub outcome: TokenPair,
    /// How.
    pub steps: Steps,
}

/// What the cells of the joint matrices show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// The exact joint distribution.
    Exact,
    /// What was counted.
    Measured,
}

/// Seed and number of the throw that is drawn first.
const FIRST_THROW: (u64, u32) = (1611, 1);

/// A row as it was when a person took hold of one of its tokens.
type Held = (Row, usize, Vec<f64>);

/// Everything that the scene shows; copies are the same exhibit. It outlives the scene.
#[derive(Clone, Copy)]
pub struct Exhibit {
    /// The page's store.
    pub store: Store,
    /// The distributions.
    pub exact: RwSignal<Arc<Exact>>,
    /// What stands in the fields for lists of numbers, draft and target, once a person has written
    /// there and until it is used.
    pub typed: RwSignal<Option<[String; 2]>>,
    /// Seed of the drawn throw and of the measured ones.
    pub seed: RwSignal<u64>,
    /// Which throw of the seed is drawn.
    pub trial: RwSignal<u32>,
    /// How far its drawing is.
    pub clock: Clock,
    /// What the matrices show.
    pub cells: RwSignal<Cells>,
    /// What was measured, in the order of [`Coupling::ALL`].
    pub boards: [Board; 4],
    /// What is taken from the Stage.
    pub taking: Taking,
    /// The runs with other drafters.
    pub swap: Swap,
    held: StoredValue<Option<Held>>,
}

impl Exhibit {
    /// The scene with its first preset.
    pub fn new(store: Store) -> Self {
        let exhibit = Self {
            store,
            exact: RwSignal::new(Arc::new(exact_of(0, &PRESETS[0]))),
            typed: RwSignal::new(None),
            seed: RwSignal::new(FIRST_THROW.0),
            trial: RwSignal::new(FIRST_THROW.1),
            clock: Clock::new(),
            cells: RwSignal::new(Cells::Exact),
            boards: Coupling::ALL.map(Board::new),
            taking: Taking::new(),
            swap: Swap::new(),
            held: StoredValue::new(None),
        };
        exhibit.measure_when_settled();
        exhibit
    }

    /// Shows other distributions.
    ///
    /// # Errors
    /// When they are none; the old ones stay.
    pub fn show(
        &self,
        labels: Vec<String>,
        draft: &[f64],
        target: &[f64],
        origin: Origin,
    ) -> Result<(), InputError> {
        let pair = Pair::new(draft, target)?;
        if origin != Origin::Edited {
            self.release();
        }
        self.exact.set(Arc::new(Exact::new(labels, pair, origin)));
        Ok(())
    }

    /// Shows a preset.
    pub fn show_preset(&self, index: usize) {
        if let Some(preset) = PRESETS.get(index) {
            self.release();
            self.exact.set(Arc::new(exact_of(index, preset)));
        }
    }

    /// Shows again what was shown before a preset took its place; what a person has made since stays.
    pub fn put_back(&self, before: Arc<Exact>) {
        let now = self.exact.get_untracked();
        if now != before && matches!(now.origin, Origin::Preset(_)) {
            self.release();
            self.exact.set(before);
        }
    }

    /// Shows what a link asks for; what it does not name stays as it is. Returns the key of what there is
    /// not.
    pub fn follow_link(&self, link: &Exhibits) -> Option<&'static str> {
        let mut unknown = None;
        if let Some(own) = link.own.as_deref().and_then(OwnPair::parse) {
            // What a link may hold are distributions.
            let _ = self.show(own.tokens, &own.draft, &own.target, Origin::Typed);
        } else if let Some(name) = &link.example
            && !self.show_named(name)
        {
            unknown = Some("example");
        }
        if let Some((seed, trial)) = link.throw {
            self.seed.set(seed);
            self.trial.set(trial);
        }
        unknown
    }

    /// What a link to this should name, tracked.
    pub fn for_link(&self) -> Exhibits {
        let example = self.preset_name();
        let own = self.exact.with(|exact| OwnPair {
            tokens: exact.labels.clone(),
            draft: exact.row(Row::Draft).to_vec(),
            target: exact.row(Row::Target).to_vec(),
        });
        let throw = (self.seed.get(), self.trial.get());
        Exhibits {
            own: example.is_none().then(|| own.print()).flatten(),
            throw: (throw != FIRST_THROW).then_some(throw),
            example,
            ..Exhibits::default()
        }
    }

    /// Shows the preset that links call so, and tells whether there is one; another name changes nothing.
    pub fn show_named(&self, name: &str) -> bool {
        let found = presets::find(name);
        if let Some(index) = found {
            self.show_preset(index);
        }
        found.is_some()
    }

    /// What links call the preset that is shown, tracked.
    pub fn preset_name(&self) -> Option<String> {
        self.exact.with(|exact| match exact.origin {
            Origin::Preset(index) => PRESETS.get(index).map(|preset| preset.name.to_owned()),
            _ => None,
        })
    }

    /// Gives a token of a row a probability; the others of the row rescale to total 1.
    ///
    /// As long as the same token is moved, the others keep the proportions that they had when it
    /// was taken hold of: pushing it to 1 and back loses nothing.
    pub fn edit(&self, row: Row, token: usize, value: f64) {
        let exact = self.exact.get_untracked();
        let holds = self.held.with_value(|held| {
            held.as_ref().is_some_and(|(held_row, held_token, base)| {
                (*held_row, *held_token, base.len()) == (row, token, exact.len())
            })
        });
        if !holds {
            self.held
                .set_value(Some((row, token, exact.row(row).to_vec())));
        }
        let Some((_, _, base)) = self.held.get_value() else {
            return;
        };
        let probs = with_value(&base, token, value);
        let (draft, target) = match row {
            Row::Draft => (probs.as_slice(), exact.pair.target_probs()),
            Row::Target => (exact.pair.draft_probs(), probs.as_slice()),
        };
        // A rescaled row is a distribution; if rounding ever said otherwise, the old one stays.
        let _ = self.show(exact.labels.clone(), draft, target, Origin::Edited);
    }

    /// Lets go of the token that is being moved.
    pub fn release(&self) {
        self.held.set_value(None);
    }

    /// The throw under consideration under a coupling, tracked.
    pub fn drawn(&self, coupling: Coupling) -> Drawn {
        let exact = self.exact.get();
        let (outcome, steps) =
            exact
                .pair
                .sample_with_steps(coupling, self.seed.get(), self.trial.get());
        Drawn {
            exact,
            outcome,
            steps,
        }
    }

    /// Draws the next throw, from its beginning.
    pub fn throw_again(&self) {
        self.trial.update(|trial| *trial = trial.wrapping_add(1));
        self.clock.play();
    }
}

fn exact_of(index: usize, preset: &Preset) -> Exact {
    let labels = preset.letters.chars().map(String::from).collect();
    let pair = Pair::new(preset.draft, preset.target).expect("a preset is two distributions");
    Exact::new(labels, pair, Origin::Preset(index))
}

/// A row with another probability at one token and the others rescaled, so that it sums to 1.
fn with_value(base: &[f64], token: usize, value: f64) -> Vec<f64> {
    let value = value.clamp(0.0, 1.0);
    let others = base.len().saturating_sub(1).max(1) as f64;
    let rest: f64 = base
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != token)
        .map(|(_, prob)| prob)
        .sum();
    base.iter()
        .enumerate()
        .map(|(index, prob)| match index == token {
            true => value,
            false if rest > 0.0 => prob / rest * (1.0 - value),
            false => (1.0 - value) / others,
        })
        .collect()
}

/// The exhibit of the page.
pub fn use_exhibit() -> Exhibit {
    expect_context::<Exhibit>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_handle_leaves_a_distribution() {
        for value in [0.0, 0.3, 1.0, 7.0] {
            for base in [vec![0.5, 0.3, 0.2], vec![1.0, 0.0, 0.0]] {
                let row = with_value(&base, 0, value);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert_eq!(row[0], value.min(1.0));
            }
        }
        assert_eq!(with_value(&[0.5, 0.4, 0.1], 0, 0.0), [0.0, 0.8, 0.2]);
    }

    #[test]
    fn every_preset_is_two_distributions() {
        for (index, preset) in PRESETS.iter().enumerate() {
            assert_eq!(
                exact_of(index, preset).len(),
                preset.letters.chars().count()
            );
        }
    }
}
