//! What is told in another language. Whoever speaks one has the whole process speak it, so this is
//! a test binary of its own.

use std::borrow::Cow;

use couplet_playback::{
    Closing, ClosingKind, Phase, Piece, Proposal, Round, Step, count_word, narrate, plain,
    round_summary, speak_as, speak_english,
};
use couplet_protocol::{Distribution, Rule, Settings};
use tr::Translator;

/// A few sayings.
struct German;

impl Translator for German {
    fn translate<'a>(&'a self, english: &'a str, context: Option<&'a str>) -> Cow<'a, str> {
        let said = match (context, english) {
            (None, "The draft pencils {tokens}, one after another.") => {
                "Der Entwurf schreibt {tokens} mit Bleistift vor, eins nach dem anderen."
            }
            (None, "{most} and {last}") => "{most} und {last}",
            (None, "one replaced") => "eins ersetzt",
            (None, "The target’s own first is {token}, so that is inked.") => {
                "{token} ist im Ziel zuerst da."
            }
            (None, "line break") => "Zeilenumbruch",
            (None, "{token} added by the target") => "vom Ziel dazu: {token}",
            (Some("count"), "two") => "zwei",
            _ => english,
        };
        said.into()
    }

    fn ntranslate<'a>(
        &'a self,
        count: u64,
        one: &'a str,
        several: &'a str,
        _: Option<&'a str>,
    ) -> Cow<'a, str> {
        match (one, count) {
            ("one token from a single pass of the target", 2..) => {
                "aus einem Durchlauf {n} Token".into()
            }
            ("one discarded", 2..) => "{n} verworfen".into(),
            (_, 1) => one.into(),
            _ => several.into(),
        }
    }
}

fn show(token: u32) -> String {
    ["s", "n", "↵"][token as usize].to_owned()
}

fn round(kind: ClosingKind) -> Round {
    let proposal = |token| Proposal {
        position: token,
        token,
        distribution: Distribution::new(&[0.5, 0.5]),
        verdict: None,
        unjudged: None,
    };
    Round {
        proposals: vec![proposal(0), proposal(1)],
        closing: Some(Closing {
            kind,
            token: 2,
            distribution: Distribution::new(&[0.5, 0.5]),
            mass: 1.0,
            draw: 0.25,
        }),
        committed: vec![0, 1],
        ..Round::default()
    }
}

fn told(phase: Phase) -> Vec<Piece> {
    let settings = Settings {
        rule: Rule::Gumbel,
        ..Settings::default()
    };
    let step = Step {
        round: 0,
        phase,
        column: 0,
    };
    narrate(&round(ClosingKind::Resampled), step, &settings, show)
}

#[test]
fn a_sentence_comes_out_in_the_order_of_its_language() {
    let text = |text: &str| Piece::Text(text.to_owned());
    let token = |token: &str| Piece::Token(token.to_owned());

    speak_as(German);
    assert_eq!(
        told(Phase::Draft),
        [
            text("Der Entwurf schreibt "),
            token("s"),
            text(" und "),
            token("n"),
            text(" mit Bleistift vor, eins nach dem anderen."),
        ]
    );
    let resampled = told(Phase::Resample);
    assert_eq!(resampled, [token("↵"), text(" ist im Ziel zuerst da.")]);
    assert_eq!(plain(&resampled), "Zeilenumbruch ist im Ziel zuerst da.");
    assert_eq!(
        plain(&told(Phase::Commit)),
        "Eins ersetzt, zwei verworfen: aus einem Durchlauf zwei Token."
    );
    assert_eq!(
        round_summary(1, &round(ClosingKind::Bonus), Rule::Rejection, show),
        "Round 1: 0 accepted, vom Ziel dazu: Zeilenumbruch."
    );
    assert_eq!(
        (count_word(2), count_word(20)),
        ("zwei".into(), "20".into())
    );

    speak_english();
    assert_eq!(
        plain(&told(Phase::Draft)),
        "The draft pencils s and n, one after another."
    );
}
