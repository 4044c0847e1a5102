//! The lessons as data: in which state of the page each step stands, what it asks, and what the
//! page does when the visitor has guessed. The words are in `words/`.

use couplet_playback::Phase;
use couplet_protocol::{Mistake, Rule};

use super::answers::{self, Answer};
use super::cover::Covered;
use super::facts::Facts;
use super::places::{Round, Spot};
use crate::proof::mistake_selector;
use crate::store::{Recording, Scene};

/// A lesson.
pub struct Lesson {
    /// Its name in links and among the words.
    pub id: &'static str,
    /// How long it takes in class, questions included.
    pub minutes: u32,
    /// Its steps in order.
    pub steps: &'static [Step],
}

impl Lesson {
    /// Whether it is about the run of the target alone.
    pub fn needs_alone(&self) -> bool {
        let is_alone = |step: &Step| matches!(step.place, Alone(_));
        self.steps.iter().any(is_alone)
    }
}

/// A step of a lesson: a state of the page, and a question.
pub struct Step {
    /// Where it stands.
    pub place: Place,
    /// The answer, computed.
    pub answer: fn(&Facts) -> Option<Answer>,
    /// Where the choices come from; none where a number is asked for.
    pub choices: Choices,
    /// Where the page goes when the answer is shown.
    pub reveal: Place,
    /// What of the page would give the answer away.
    pub covers: Option<Covered>,
    /// What is covered still when the answer is shown, because a later step asks for it.
    pub covers_on: Option<Covered>,
    /// Whether what it tells and asks has the answer to a question before it in it.
    pub tells_answer: bool,
    /// Whether the answer sends the visitor on, to another run or other distributions.
    pub lets_go: bool,
    /// Where the answer is to be seen, if elsewhere than in all that was covered.
    evidence: Option<&'static str>,
}

impl Step {
    /// Where on the page the answer is to be seen, if at one place in particular.
    pub fn evidence(&self) -> Option<String> {
        let uncovered = self.covers.filter(|what| self.covers_on != Some(*what));
        let part = self.evidence.or(uncovered.map(Covered::part));
        part.map(str::to_owned).or_else(|| self.reveal.part())
    }
}

/// A state of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A place in the recorded run with a draft.
    Stage(Spot),
    /// A place in the recorded run of the target alone.
    Alone(Spot),
    /// Two distributions of Couplings, by their name in links.
    Couplings(&'static str),
    /// Two distributions of Proof, and how much of the argument is drawn, 1 to 3.
    Proof(&'static str, usize),
    /// The same with the whole argument, and a mistake of the museum made.
    Mistaken(&'static str, Mistake),
    /// The same with the whole argument, and another rule put to the live test.
    Tested(&'static str, Rule),
    /// The scene Speed, its formula asked about such numbers, in hundredths.
    Speed(Option<[u8; 3]>),
}

impl Place {
    /// The run and the place in it, on the Stage.
    pub fn of_run(self) -> Option<(Recording, Spot)> {
        match self {
            Self::Stage(spot) => Some((Recording::Speculative, spot)),
            Self::Alone(spot) => Some((Recording::Alone, spot)),
            _ => None,
        }
    }

    /// What finds the part of the scene that is in this state.
    pub fn part(self) -> Option<String> {
        match self {
            Self::Mistaken(_, mistake) => Some(mistake_selector(mistake)),
            Self::Tested(..) => Some("[data-testid=expectation]".to_owned()),
            Self::Speed(Some(_)) => Some(Curve.part().to_owned()),
            _ => None,
        }
    }

    /// The part of the page that it is in.
    pub fn scene(self) -> Scene {
        match self {
            Self::Stage(_) | Self::Alone(_) => Scene::Stage,
            Self::Couplings(_) => Scene::Couplings,
            Self::Proof(..) | Self::Mistaken(..) | Self::Tested(..) => Scene::Proof,
            Self::Speed(_) => Scene::Speed,
        }
    }
}

/// How a guess is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// One of the sentences among the words.
    Words,
    /// One of the drafted tokens of a round, or none of them.
    Tokens(Round),
    /// A number.
    Number,
}

const fn step(
    place: Place,
    choices: Choices,
    answer: fn(&Facts) -> Option<Answer>,
    reveal: Place,
) -> Step {
    Step {
        place,
        answer,
        choices,
        reveal,
        covers: None,
        covers_on: None,
        tells_answer: false,
        lets_go: false,
        evidence: None,
    }
}

/// A step whose answer is to be seen in a part of the page.
const fn seen_in(evidence: &'static str, step: Step) -> Step {
    Step {
        evidence: Some(evidence),
        ..step
    }
}

/// A step that goes on from the answer to a question before it.
const fn going_on(step: Step) -> Step {
    Step {
        tells_answer: true,
        ..step
    }
}

/// A step whose answer sends the visitor on, to another run or other distributions.
const fn let_go(step: Step) -> Step {
    Step {
        lets_go: true,
        ..step
    }
}

/// A step during which a part of the page is covered until the answer is shown.
const fn covered(what: Covered, step: Step) -> Step {
    Step {
        covers: Some(what),
        ..step
    }
}

/// A step after whose answer a part of the page is covered still.
const fn covered_on(what: Covered, step: Step) -> Step {
    Step {
        covers_on: Some(what),
        ..step
    }
}

/// A step before and after whose answer a part of the page is covered.
const fn covered_throughout(what: Covered, step: Step) -> Step {
    covered_on(what, covered(what, step))
}

/// A step about the formula of the speed-up, whose answer is shown for some numbers of it; what was measured
/// is asked for later.
const fn of_formula(
    choices: Choices,
    answer: fn(&Facts) -> Option<Answer>,
    shown: [u8; 3],
) -> Step {
    let asked = step(Speed(None), choices, answer, Speed(Some(shown)));
    covered_on(Measured, covered(Curve, asked))
}

use Choices::{Number, Tokens, Words};
use Covered::{Agreement, Bonus, Curve, Measured, Numbers, Rounds, SharedChance, Statistics, Swap};
use Phase::{Commit, Draft};
use Place::{Alone, Couplings, Mistaken, Proof, Speed, Stage, Tested};
use Round::{Full, Struck};
use Spot::{Closed, Committed, Drafted, End, First, Judged, Verified};

/// The lessons in order.
pub const COURSE: [Lesson; 6] = [
    Lesson {
        id: "slow",
        minutes: 6,
        steps: &[
            covered(
                Rounds,
                step(
                    Alone(First(Commit)),
                    Number,
                    answers::passes_alone,
                    Alone(End),
                ),
            ),
            step(Alone(End), Words, answers::fetched_for_six, Alone(End)),
            covered(
                Rounds,
                step(
                    Stage(First(Draft)),
                    Number,
                    answers::passes_with_draft,
                    Stage(End),
                ),
            ),
            step(Stage(End), Words, answers::fetched_share, Stage(End)),
        ],
    },
    Lesson {
        id: "draft",
        minutes: 8,
        steps: &[
            covered_throughout(
                Bonus,
                step(
                    Stage(Drafted(Struck)),
                    Words,
                    answers::why_one_pass,
                    Stage(Verified(Struck)),
                ),
            ),
            covered_throughout(
                Bonus,
                step(
                    Stage(Verified(Struck)),
                    Tokens(Struck),
                    answers::first_struck,
                    Stage(Judged(Struck)),
                ),
            ),
            going_on(covered_throughout(
                Bonus,
                step(
                    Stage(Judged(Struck)),
                    Words,
                    answers::added_by_struck,
                    Stage(Committed(Struck)),
                ),
            )),
            covered(
                Bonus,
                step(
                    Stage(Judged(Full)),
                    Words,
                    answers::added_by_full,
                    Stage(Closed(Full)),
                ),
            ),
        ],
    },
    Lesson {
        id: "exact",
        minutes: 8,
        steps: &[
            going_on(step(
                Stage(Judged(Struck)),
                Words,
                answers::struck_again,
                Stage(Closed(Struck)),
            )),
            covered_throughout(
                Numbers,
                step(
                    Proof("three", 1),
                    Number,
                    answers::kept_of_first,
                    Proof("three", 1),
                ),
            ),
            covered(
                Numbers,
                step(
                    Proof("three", 1),
                    Number,
                    answers::rejected_share,
                    Proof("three", 2),
                ),
            ),
            let_go(going_on(covered(
                Numbers,
                step(
                    Proof("three", 2),
                    Number,
                    answers::last_comes_out,
                    Proof("three", 3),
                ),
            ))),
        ],
    },
    Lesson {
        id: "chance",
        minutes: 10,
        steps: &[
            covered_on(
                SharedChance,
                covered(
                    Agreement,
                    step(
                        Couplings("equal"),
                        Number,
                        answers::equal_by_luck,
                        Couplings("equal"),
                    ),
                ),
            ),
            covered_on(
                Swap,
                seen_in(
                    "[data-testid=card-gumbel]",
                    covered(
                        Agreement,
                        step(
                            Couplings("equal"),
                            Number,
                            answers::equal_by_clocks,
                            Couplings("equal"),
                        ),
                    ),
                ),
            ),
            covered_on(
                Swap,
                seen_in(
                    "[data-testid=couplings]",
                    covered(
                        Agreement,
                        step(
                            Couplings("vowels"),
                            Number,
                            answers::ceiling,
                            Couplings("vowels"),
                        ),
                    ),
                ),
            ),
            covered_on(
                Swap,
                seen_in(
                    "[data-testid=card-gumbel]",
                    covered(
                        Agreement,
                        step(
                            Couplings("peaked-and-flat"),
                            Words,
                            answers::clocks_or_darts,
                            Couplings("peaked-and-flat"),
                        ),
                    ),
                ),
            ),
            covered(
                Swap,
                step(
                    Couplings("vowels"),
                    Words,
                    answers::swapped_drafter,
                    Couplings("vowels"),
                ),
            ),
        ],
    },
    Lesson {
        id: "pays",
        minutes: 10,
        steps: &[
            covered_on(
                Measured,
                covered(
                    Statistics,
                    step(Stage(End), Number, answers::per_round, Stage(End)),
                ),
            ),
            of_formula(Number, answers::perfect_but_slow, answers::PERFECT_BUT_SLOW),
            of_formula(Number, answers::best_look_ahead, answers::WORSE_DRAFT),
            of_formula(Words, answers::busy_machine, answers::BUSY_MACHINE),
            seen_in(
                Measured.part(),
                covered(
                    Curve,
                    step(Speed(None), Words, answers::this_machine, Speed(None)),
                ),
            ),
        ],
    },
    Lesson {
        id: "wrong",
        minutes: 8,
        steps: &[
            step(
                Proof("three", 3),
                Words,
                answers::redraw_from_target,
                Mistaken("three", Mistake::ResamplesFromTarget),
            ),
            step(
                Proof("three", 3),
                Words,
                answers::greedy_draft,
                Mistaken("three", Mistake::GreedyDraft),
            ),
            going_on(step(
                Proof("three", 3),
                Number,
                answers::lenient,
                Tested("three", Rule::Lenience),
            )),
            let_go(step(
                Stage(Judged(Struck)),
                Words,
                answers::useless_draft,
                Stage(Judged(Struck)),
            )),
        ],
    },
];

/// The place of a lesson in the course.
pub fn find(id: &str) -> Option<usize> {
    COURSE.iter().position(|lesson| lesson.id == id)
}
