//! The trainer as a person runs it, on toys.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn trainer(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_couplet-trainer"));
    command.args(arguments).current_dir(folder);
    command
}

fn quick_stories(extra: &[&str], folder: &Path) -> Command {
    let arguments = [
        &[
            "train", "--pair", "stories", "--quick", "--out", "pairs", "--work", "work",
        ],
        extra,
    ];
    trainer(&arguments.concat(), folder)
}

fn weights(folder: &Path, model: &str) -> Vec<u8> {
    std::fs::read(folder.join(format!("pairs/stories/{model}/model.safetensors"))).unwrap()
}

/// What the trainer says when it refuses.
fn refusal(output: &Output) -> String {
    assert!(!output.status.success(), "it should have refused");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Trains a draft from the start and kills that once there is a checkpoint; whether there is one
/// then, and not yet the last.
fn killed_between_checkpoints(folder: &Path) -> bool {
    let checkpoint = folder.join("work/stories/draft-plain");
    std::fs::remove_dir_all(&checkpoint).ok();
    let state = checkpoint.join("state.json");
    let mut training = quick_stories(&["--only", "draft-plain"], folder)
        .spawn()
        .unwrap();
    while !state.exists() && training.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    training.kill().ok();
    training.wait().unwrap();
    std::fs::read_to_string(&state).is_ok_and(|state| !state.contains("\"step\": 36"))
}

#[test]
fn the_same_seed_gives_the_same_pair_and_a_killed_run_goes_on_without_loss() {
    let whole = folder("whole");
    run(quick_stories(&[], &whole));
    // The same in three pieces, the second of them killed between the first and the last
    // checkpoint of the draft. On a busy machine a kill may come too late.
    let pieces = folder("pieces");
    run(quick_stories(&["--only", "target"], &pieces));
    assert!(
        (0..10).any(|_| killed_between_checkpoints(&pieces)),
        "no kill fell between the first and the last checkpoint"
    );
    let said = String::from_utf8(run(quick_stories(&[], &pieces)).stdout).unwrap();
    assert!(said.contains("draft-plain: going on from step"), "{said}");
    for model in ["target", "draft", "draft-plain"] {
        assert!(weights(&whole, model) == weights(&pieces, model), "{model}");
    }
    // Distillation changes the draft.
    assert!(weights(&whole, "draft") != weights(&whole, "draft-plain"));
    // What was exported can be measured again, and played.
    run(trainer(
        &["evaluate", "--pair", "stories", "--quick", "--out", "pairs"],
        &whole,
    ));
    run(trainer(
        &["record", "--pair", "stories", "--out", "pairs"],
        &whole,
    ));
    for file in [
        "MODEL_CARD.md",
        "model-card.json",
        "tokenizer.json",
        "bigram.json",
        "recording.json",
        "recording-alone.json",
        "target/loss.svg",
        "../pairs.json",
    ] {
        let path = whole.join("pairs/stories").join(file);
        assert!(
            std::fs::metadata(&path).is_ok_and(|file| file.len() > 0),
            "{file}"
        );
    }
    // Where bytes cost nothing, a drafted token is to a step of the target as their dispatches are:
    // 4 a layer and 2 (the next lookup is a part of `sample`) to 4 a layer and 4.
    let supposed = [
        "costs",
        "--pair-folder",
        "pairs/stories",
        "--suppose",
        "5,1e12",
    ];
    let said = run(trainer(&supposed, &whole)).stdout;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains("Predicted, not measured") && said.contains("c = 0.50"),
        "{said}"
    );
    // Where one workgroup drafts whole blocks, a token takes no dispatch.
    let at_once = [&supposed[..4], &["5,1e12,1e12"]].concat();
    let said = String::from_utf8(run(trainer(&at_once, &whole)).stdout).unwrap();
    assert!(said.contains("c = 0.00"), "{said}");
    // The exported target can be kept: drafts that are trained for it anew come out the same but
    // for what its rounded weights changed, and it stays untouched.
    std::fs::remove_dir_all(whole.join("work")).unwrap();
    let card = || -> serde_json::Value {
        let text = std::fs::read(whole.join("pairs/stories/model-card.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    let before = card();
    run(quick_stories(&["--keep-target"], &whole));
    assert!(!whole.join("work/stories/target").exists());
    assert_eq!(card()["target"], before["target"]);
    assert!(weights(&whole, "target") == weights(&pieces, "target"));
    assert!(weights(&whole, "draft-plain") == weights(&pieces, "draft-plain"));
    let alpha = |card: &serde_json::Value| card["acceptance_rate"].as_f64().unwrap();
    assert!((alpha(&card()) - alpha(&before)).abs() < 1e-3);
    // One that is damaged is refused.
    let path = whole.join("pairs/stories/target/model.safetensors");
    let mut damaged = std::fs::read(&path).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let said = refusal(&quick_stories(&["--keep-target"], &whole).output().unwrap());
    assert!(
        said.contains("is not the file that the card names"),
        "{said}"
    );
    // Another seed is another pair.
    let other = folder("other");
    run(quick_stories(
        &["--only", "draft-plain", "--seed", "5"],
        &other,
    ));
    let state =
        |folder: &Path| std::fs::read(folder.join("work/stories/draft-plain/model.bpk")).unwrap();
    assert!(state(&other) != state(&whole));
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_kept() {
    let place = folder("another-run");
    run(quick_stories(&["--only", "draft-plain"], &place));
    let state = place.join("work/stories/draft-plain/state.json");
    let before = std::fs::read(&state).unwrap();
    let output = quick_stories(&["--only", "draft-plain", "--seed", "2"], &place).output();
    let said = refusal(&output.unwrap());
    assert!(said.contains("another seed"), "{said}");
    assert_eq!(std::fs::read(&state).unwrap(), before);
    // Another shape.
    let text = String::from_utf8(before.clone()).unwrap();
    std::fs::write(
        &state,
        text.replace("\"hidden_size\": 32", "\"hidden_size\": 48"),
    )
    .unwrap();
    let said = refusal(
        &quick_stories(&["--only", "draft-plain"], &place)
            .output()
            .unwrap(),
    );
    assert!(said.contains("another shape"), "{said}");
    // Another text.
    let key = "\"learns_from\": \"";
    std::fs::write(&state, text.replace(key, &format!("{key}0"))).unwrap();
    let said = refusal(
        &quick_stories(&["--only", "draft-plain"], &place)
            .output()
            .unwrap(),
    );
    assert!(said.contains("another text or teacher"), "{said}");
    // A file that is cut off.
    std::fs::write(&state, &before[..before.len() / 2]).unwrap();
    let said = refusal(
        &quick_stories(&["--only", "draft-plain"], &place)
            .output()
            .unwrap(),
    );
    assert!(said.contains("damaged"), "{said}");
}

#[test]
fn a_checkpoint_that_cannot_be_written_leaves_the_last_one() {
    let place = folder("full");
    run(quick_stories(&["--only", "target"], &place));
    let finished = place.join("work/stories/target/model.bpk");
    let before = std::fs::read(&finished).unwrap();
    // A file where the fresh checkpoint's folder has to be: no folder can be made there, as on
    // a disk without space.
    std::fs::write(place.join("work/stories/draft-plain.fresh"), "in the way").unwrap();
    let said = refusal(
        &quick_stories(&["--only", "draft-plain"], &place)
            .output()
            .unwrap(),
    );
    assert!(said.contains("draft-plain.fresh"), "{said}");
    assert_eq!(std::fs::read(&finished).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_in_the_middle_of_a_checkpoint_leaves_the_last_one() {
    let place = folder("filling");
    run(quick_stories(&["--only", "target"], &place));
    let finished = place.join("work/stories/target/model.bpk");
    let before = std::fs::read(&finished).unwrap();
    // Files may grow to 8 KiB only; the signal that ends the process at the limit is ignored,
    // so that writing fails as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec '{}' train --pair stories --quick --only draft-plain --out pairs --work work",
        env!("CARGO_BIN_EXE_couplet-trainer")
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&place)
        .output()
        .unwrap();
    let said = refusal(&output);
    assert!(
        said.contains("cannot write a checkpoint") && said.contains("the last one is kept"),
        "{said}"
    );
    assert_eq!(std::fs::read(&finished).unwrap(), before);
    // With space again, it goes on.
    run(quick_stories(&["--only", "draft-plain"], &place));
}

#[test]
fn texts_of_no_use_are_refused_with_their_names() {
    let place = folder("texts");
    let path = place.join("tinyshakespeare.txt");
    let attempt = || {
        let arguments = [
            "train",
            "--pair",
            "shakespeare",
            "--quick",
            "--corpora",
            ".",
            "--out",
            "pairs",
            "--work",
            "work",
        ];
        refusal(&trainer(&arguments, &place).output().unwrap())
    };
    let said = attempt();
    assert!(
        said.contains("cannot read") && said.contains("tinyshakespeare.txt"),
        "{said}"
    );
    std::fs::write(&path, "").unwrap();
    let said = attempt();
    assert!(said.contains("tinyshakespeare.txt is empty"), "{said}");
    std::fs::write(&path, "Too short a text.").unwrap();
    let said = attempt();
    assert!(
        said.contains("15 tokens to train on, but a window takes 65"),
        "{said}"
    );
    std::fs::write(
        &path,
        [b"Fair text, then ".as_slice(), &[0xff, 0xfe]].concat(),
    )
    .unwrap();
    let said = attempt();
    assert!(said.contains("not valid UTF-8 text: byte 16"), "{said}");
}

#[test]
fn arguments_of_no_use_are_refused_by_name() {
    let place = folder("arguments");
    let attempt = |arguments: &[&str]| refusal(&trainer(arguments, &place).output().unwrap());
    let said = attempt(&["train", "--pair", "sonnets"]);
    assert!(
        said.contains("the pairs are shakespeare, stories"),
        "{said}"
    );
    let said = attempt(&["train", "--pair", "shakespeare"]);
    assert!(said.contains("--corpora"), "{said}");
    let said = attempt(&["train", "--all", "--divergence", "js"]);
    assert!(said.contains("choose one of kl, tv"), "{said}");
    let said = attempt(&["train", "--all", "--seed", "many"]);
    assert!(said.contains("--seed"), "{said}");
    for prices in ["5", "5;200", "0,200", "5,fast"] {
        let said = attempt(&["costs", "--pair-folder", ".", "--suppose", prices]);
        assert!(said.contains("as in 5,200"), "{said}");
    }
}
