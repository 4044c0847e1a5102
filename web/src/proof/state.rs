//! What the scene remembers while another one is open.

use couplet_protocol::{Mistake, Rule};
use leptos::prelude::*;

use super::counting::{Tally, request};
use super::museum::Museum;
use super::pair::{MOST_TOKENS, Note, Preset, ProofPair, typed as typed_pair};
use super::slices::Slices;
use crate::browser;
use crate::engine_client::EngineState;
use crate::errors::Said;
use crate::permalink::{Exhibits, LiveTest, OwnPair};
use crate::store::Store;
use crate::words::Kind;

/// Where the pair comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The page.
    Preset(Preset),
    /// The position under consideration on the Stage.
    Stage,
    /// The person.
    Typed,
}

/// The most texts that can differ and still be told apart with the first batch: five expected of
/// each on average, which is what the test needs.
const MOST_TEXTS: usize = 4_000;

/// What is tested before anybody chooses.
const FIRST_TEST: LiveTest = LiveTest {
    rule: Rule::Rejection,
    gamma: 2,
    seed: 1611,
};

/// The most tokens that the page drafts per round.
pub const MOST_GAMMA: u32 = 4;

/// The largest gamma at which texts over so many tokens can be tested.
pub fn most_gamma(tokens: usize) -> u32 {
    (1..=MOST_GAMMA)
        .rev()
        .find(|gamma| tokens.saturating_pow(gamma + 1) <= MOST_TEXTS)
        .unwrap_or(1)
}

/// What the scene shows and tests.
#[derive(Clone)]
pub struct Argued {
    source: Source,
    pair: ProofPair,
    step: usize,
    rule: Rule,
    gamma: u32,
    mistakes: Vec<Mistake>,
}

/// Everything that the scene knows; copies are the same.
#[derive(Clone, Copy)]
pub struct ProofState {
    store: Store,
    /// The two distributions.
    pub pair: RwSignal<ProofPair>,
    /// Where they come from.
    pub source: RwSignal<Source>,
    /// What stands in the fields for a pair of one's own, draft and target, while they are open.
    pub typed: RwSignal<Option<[String; 2]>>,
    /// How many of the three steps are drawn, 1 to 3.
    pub step: RwSignal<usize>,
    /// The rule under test.
    pub rule: RwSignal<Rule>,
    /// Tokens drafted per round in the test.
    pub gamma: RwSignal<u32>,
    /// The token of the texts whose bars are drawn, from 0.
    pub position: RwSignal<usize>,
    /// The seed of the test.
    pub seed: RwSignal<u64>,
    /// What was counted for the test.
    pub tally: RwSignal<Tally>,
    /// A request of the test is under way.
    pub counting: RwSignal<bool>,
    /// Why the last one failed.
    pub failed: RwSignal<Option<Said>>,
    /// Nothing was asked for of what is tested now.
    due: RwSignal<bool>,
    slices: Slices,
    /// The mistakes.
    pub museum: Museum,
}

impl ProofState {
    /// The scene as it opens first.
    pub fn new(store: Store) -> Self {
        let pair = RwSignal::new(Preset::Vowels.pair());
        // One step at a time where there is room for one.
        let narrow = browser::is_narrow();
        Self {
            store,
            pair,
            source: RwSignal::new(Source::Preset(Preset::Vowels)),
            typed: RwSignal::new(None),
            step: RwSignal::new(if narrow { 1 } else { 3 }),
            rule: RwSignal::new(FIRST_TEST.rule),
            gamma: RwSignal::new(FIRST_TEST.gamma),
            position: RwSignal::new(0),
            seed: RwSignal::new(FIRST_TEST.seed),
            tally: RwSignal::new(Tally::default()),
            counting: RwSignal::new(false),
            failed: RwSignal::new(None),
            due: RwSignal::new(true),
            slices: Slices::new(store),
            museum: Museum::new(store, pair),
        }
    }

    /// Shows another pair; everything that was counted for the one before is dropped.
    pub fn show(&self, source: Source, pair: ProofPair) {
        let most = most_gamma(pair.len());
        self.source.set(source);
        // The fields say what is shown, or as somebody has typed it.
        let is_as_typed = |typed: &Option<[String; 2]>| {
            let numbers = typed
                .as_ref()
                .map(|[draft, target]| typed_pair(draft, target));
            numbers.is_some_and(|typed| typed.is_ok_and(|typed| typed == pair))
        };
        match source {
            Source::Typed if self.typed.with_untracked(is_as_typed) => {}
            Source::Typed => self.typed.set(Some(pair.as_typed())),
            Source::Preset(_) | Source::Stage => self.typed.set(None),
        }
        if self.pair.with_untracked(|before| *before == pair) {
            return;
        }
        self.pair.set(pair);
        if self.gamma.get_untracked() > most {
            self.gamma.set(most);
        }
        self.forget();
        self.museum.forget();
    }

    /// Shows and tests what a link asks for; what it does not name stays as it is. Returns the key of
    /// what there is not, or is too much.
    pub fn follow_link(&self, link: &Exhibits) -> Option<&'static str> {
        let mut unfit = None;
        let step = link.part.unwrap_or(3);
        let own = link.own.as_deref().and_then(OwnPair::parse);
        if let Some(own) = own.filter(|own| own.tokens.len() <= MOST_TOKENS) {
            let letters = own.tokens.iter().all(|token| token.chars().count() == 1);
            let pair = ProofPair {
                tokens: own.tokens,
                draft: own.draft,
                target: own.target,
                kind: if letters { Kind::Letter } else { Kind::Token },
                note: Note::None,
            };
            self.show(Source::Typed, pair);
            self.step.set(step);
        } else if let Some(name) = &link.example {
            unfit = (!self.show_named(name, step)).then_some("example");
        } else if link.own.is_some() {
            unfit = Some("own");
        }
        if let Some(test) = link.test.filter(|test| test.gamma <= MOST_GAMMA) {
            // Beside the choice stands why it is no more.
            let most = most_gamma(self.pair.with_untracked(ProofPair::len));
            self.choose_rule(test.rule);
            self.choose_gamma(test.gamma.min(most));
            self.seed.set(test.seed);
        } else if link.test.is_some() {
            unfit = unfit.or(Some("test"));
        }
        for mistake in &link.mistakes {
            if let Some(place) = Mistake::ALL.iter().position(|it| it == mistake) {
                self.museum.switch(place, true);
            }
        }
        unfit
    }

    /// What a link to this should name, tracked.
    pub fn for_link(&self) -> Exhibits {
        let example = self.preset_name();
        let own = self.pair.with(|pair| OwnPair {
            tokens: pair.tokens.clone(),
            draft: pair.draft.clone(),
            target: pair.target.clone(),
        });
        let test = LiveTest {
            rule: self.rule.get(),
            gamma: self.gamma.get(),
            seed: self.seed.get(),
        };
        Exhibits {
            part: Some(self.step.get()),
            own: example.is_none().then(|| own.print()).flatten(),
            test: (test != FIRST_TEST).then_some(test),
            mistakes: self.museum.made(),
            example,
            ..Exhibits::default()
        }
    }

    /// Shows a preset by its name, and so much of the argument, 1 to 3. Tells whether there is one; a
    /// name that there is not changes nothing.
    pub fn show_named(&self, name: &str, step: usize) -> bool {
        let Some(preset) = Preset::named(name) else {
            return false;
        };
        self.show(Source::Preset(preset), preset.pair());
        self.step.set(step.clamp(1, 3));
        true
    }

    /// Name of the preset that is shown, tracked.
    pub fn preset_name(&self) -> Option<String> {
        match self.source.get() {
            Source::Preset(preset) => Some(preset.name().to_owned()),
            Source::Stage | Source::Typed => None,
        }
    }

    /// What the scene shows and tests, tracked.
    pub fn argued(&self) -> Argued {
        Argued {
            source: self.source.get(),
            pair: self.pair.get(),
            step: self.step.get(),
            rule: self.rule.get(),
            gamma: self.gamma.get(),
            mistakes: self.museum.made(),
        }
    }

    /// Shows and tests again what it did before something else took its place; a pair that a person
    /// has chosen since stays.
    pub fn put_back(&self, before: Argued) {
        if matches!(self.source.get_untracked(), Source::Preset(_)) {
            self.show(before.source, before.pair);
            self.step.set(before.step);
            self.choose_gamma(before.gamma);
        }
        self.museum.make(&before.mistakes);
        self.choose_rule(before.rule);
    }

    /// Tests another rule.
    pub fn choose_rule(&self, rule: Rule) {
        if self.rule.get_untracked() != rule {
            self.rule.set(rule);
            self.forget();
        }
    }

    /// Tests rounds of another length.
    pub fn choose_gamma(&self, gamma: u32) {
        if self.gamma.get_untracked() != gamma {
            self.gamma.set(gamma);
            self.forget();
        }
    }

    /// Drops what the test has counted.
    fn forget(&self) {
        self.stop();
        self.failed.set(None);
        self.tally.set(Tally::default());
        self.due.set(true);
        let last = self.gamma.get_untracked() as usize;
        self.position
            .update(|position| *position = (*position).min(last));
    }

    /// Drops what the test has counted and takes other random numbers.
    pub fn start_over(&self) {
        self.seed.set((js_sys::Math::random() * 1e6).floor() as u64);
        self.forget();
    }

    /// Has a first lot of texts counted of whatever is tested, as soon as that disturbs nothing, until
    /// the owner of this call is gone.
    pub fn count_by_itself(&self) {
        let state = *self;
        Effect::new(move |_| {
            let idle = state.store.engine.state.with(EngineState::is_idle);
            if state.due.get() && idle {
                state.add();
            }
        });
    }

    /// Has a first lot of texts counted of what is tested, unless somebody has asked for that.
    pub fn count_first(&self) {
        if self.due.get_untracked() {
            self.add();
        }
    }

    /// Has more texts written and counted.
    pub fn add(&self) {
        if self.counting.get_untracked() {
            return;
        }
        self.due.set(false);
        self.counting.set(true);
        self.failed.set(None);
        let (pair, gamma) = (self.pair.get_untracked(), self.gamma.get_untracked());
        let (rule, seed) = (self.rule.get_untracked(), self.seed.get_untracked());
        let first = self.tally.with_untracked(|tally| tally.trials);
        let request = request(&pair, rule, gamma, None, first, seed);
        let (tally, counting, failed) = (self.tally, self.counting, self.failed);
        self.slices.count(
            request,
            Box::new(move |counted| {
                let mut added = Ok(());
                tally.update(|tally| added = tally.add(counted, pair.len(), gamma));
                added
            }),
            Box::new(move |result| {
                counting.set(false);
                failed.set(result.err());
            }),
        );
    }

    /// Leaves it at what has been counted.
    pub fn stop(&self) {
        self.slices.stop();
        self.counting.set(false);
    }
}

/// The state of the scene.
pub fn use_proof() -> ProofState {
    expect_context::<ProofState>()
}
