//! What the parts of a text mean as commands.

use super::command::{Action, Amount, FrameCommand, FrameTarget};
use super::cover::Piece;
use super::lexicon::Lexicon;

/// The number of commands in one sentence.
const MOST_COMMANDS: usize = 4;
/// A higher number is not a time.
const LAST_HOUR: f64 = 24.0;
/// Verbs that say nothing themselves: "turn it off" is off.
const NEUTRAL: &[&str] = &["turn", "put", "let", "want", "go"];

/// The parts of one command, in no order.
#[derive(Debug, Clone, Default, PartialEq)]
struct Bag {
    acts: Vec<Action>,
    /// Verbs and particles that mean something together only.
    verbs: Vec<&'static str>,
    target: FrameTarget,
    numbers: Vec<f64>,
    units: Vec<&'static str>,
    amounts: Vec<Amount>,
    items: Vec<String>,
    /// A number that may be a time: "at 7".
    is_timed: bool,
    /// A number that says how far, or until when: "by 10".
    is_by: bool,
    /// A number that nothing leads to: "lamp 2" is not the lamp at 2 percent.
    is_loose: bool,
    continues: bool,
    is_polite: bool,
    /// An article that nothing follows: "schalte den Ventilator ein und …".
    has_loose_article: bool,
    /// Whether a comma ends it, not an "and".
    is_paused: bool,
}

impl Bag {
    fn has_doing(&self) -> bool {
        !self.acts.is_empty() || !self.verbs.is_empty()
    }

    fn has_amount(&self) -> bool {
        !self.numbers.is_empty() || !self.amounts.is_empty()
    }

    fn is_blank(&self) -> bool {
        !self.has_doing() && !self.has_amount() && self.is_untargeted() && self.items.is_empty()
    }

    fn is_untargeted(&self) -> bool {
        self.target.is_empty() && !self.target.is_pronoun && !self.target.is_all
    }

    fn is_place_only(&self) -> bool {
        !self.target.areas.is_empty() && self.target.named.is_empty() && self.target.kinds.is_empty()
    }

    /// Whether it has only a verb that needs the particle of the next part: "turn the lamp".
    fn is_unfinished(&self) -> bool {
        let is_neutral = self.verbs.iter().all(|verb| NEUTRAL.contains(verb));
        let is_plain = self.acts.is_empty() && !self.has_amount() && self.items.is_empty() && !self.has_loose_article;
        is_neutral && !self.verbs.is_empty() && is_plain
    }

    /// Whether another says only how far, after a comma: "louder, to 50 percent".
    fn is_measured_by(&self, other: &Self) -> bool {
        let is_relative = !self.acts.is_empty() && self.acts.iter().all(|act| act.is_relative());
        is_relative && self.is_paused && !self.has_amount() && other.has_amount() && other.is_untargeted()
    }

    /// Takes the words of another that say nothing by themselves.
    fn absorb(&mut self, other: &Self) {
        self.continues |= other.continues;
        self.is_polite |= other.is_polite;
    }
}

/// The commands of a text; `None` if it has none, or something is left over.
pub(super) fn commands(lexicon: &Lexicon, pieces: &[Piece]) -> Option<Vec<FrameCommand>> {
    let bags = joined(bags(pieces)?)?;
    if bags.is_empty() || bags.len() > MOST_COMMANDS {
        return None;
    }
    bags.into_iter().map(|bag| command(lexicon, bag)).collect()
}

/// The parts between "and" and commas.
fn bags(pieces: &[Piece]) -> Option<Vec<Bag>> {
    let mut bags = vec![Bag::default()];
    for (at, piece) in pieces.iter().enumerate() {
        let is_first = bags.len() == 1 && bags[0].is_blank();
        let bag = bags.last_mut()?;
        match piece {
            Piece::Pause => {
                bag.is_paused = true;
                bags.push(Bag::default());
            }
            Piece::Word(role) => match (role.group, role.name) {
                ("and", _) => {
                    if is_first {
                        bag.continues = true;
                    } else {
                        bags.push(Bag::default());
                    }
                }
                ("act", name) => bag.acts.push(Action::of(name)?),
                ("verb" | "part", name) => bag.verbs.push(name),
                ("kind" | "property", name) => bag.target.kinds.push(name.to_owned()),
                ("unit", name) => bag.units.push(name),
                ("value", name) => bag.amounts.push(Amount::Percent(name.parse().ok()?)),
                ("color", name) => bag.amounts.push(Amount::Color(name.to_owned())),
                ("mode", name) => bag.amounts.push(Amount::Mode(name.to_owned())),
                ("all", _) => bag.target.is_all = true,
                ("pronoun", _) => bag.target.is_pronoun = true,
                ("too", _) => bag.continues = true,
                // "The radio's on" says how it is; "Ella's light" is a thing.
                ("article", "s") if !is_thing(pieces.get(at + 1)) => return None,
                ("article", _) => bag.has_loose_article |= !leads_on(pieces.get(at + 1)),
                ("please", _) => bag.is_polite = true,
                ("to" | "in" | "of", _) if !leads_on(pieces.get(at + 1)) => return None,
                ("to", "by") => bag.is_by |= matches!(pieces.get(at + 1), Some(Piece::Number(_))),
                ("to", "at") => {
                    // There is no 50 o'clock.
                    let is_hour = |number: f64| number <= LAST_HOUR && number.fract() == 0.0;
                    bag.is_timed |= matches!(pieces.get(at + 1), Some(Piece::Number(number)) if is_hour(*number));
                }
                _ => {}
            },
            // "For Ella" says for whom.
            Piece::Name(ids) if is_person(ids) && is_for(at.checked_sub(1).and_then(|it| pieces.get(it))) => {}
            Piece::Name(ids) => bag.target.named.push(ids.clone()),
            Piece::Partial(ids) => {
                bag.target.named.push(ids.clone());
                bag.target.is_partial = true;
            }
            Piece::Area(id) => bag.target.areas.push(id.clone()),
            Piece::Number(number) => {
                let leads =
                    |piece: &Piece| matches!(piece, Piece::Word(role) if matches!(role.group, "to" | "property"));
                bag.is_loose |= !at.checked_sub(1).and_then(|before| pieces.get(before)).is_some_and(leads);
                bag.numbers.push(*number);
            }
            Piece::Item(item) => bag.items.push(item.clone()),
        }
    }
    Some(bags)
}

fn is_thing(piece: Option<&Piece>) -> bool {
    match piece {
        Some(Piece::Name(_) | Piece::Partial(_) | Piece::Area(_)) => true,
        Some(Piece::Word(role)) => matches!(role.group, "kind" | "property"),
        _ => false,
    }
}

fn is_person(ids: &[String]) -> bool {
    ids.iter().all(|id| id.starts_with("person."))
}

fn is_for(before: Option<&Piece>) -> bool {
    matches!(before, Some(Piece::Word(role)) if role.group == "of" && role.name == "for")
}

/// Whether a preposition has something to belong to: "lamp on and radio off" has none.
fn leads_on(next: Option<&Piece>) -> bool {
    match next {
        None | Some(Piece::Pause) => false,
        Some(Piece::Word(role)) => !matches!(role.group, "and" | "please" | "polite" | "act" | "filler" | "too"),
        Some(_) => true,
    }
}

/// Gives every part what it has in common with its neighbours: "turn off the lamp and the pump",
/// "lamp and pump off", "the lamp to 60 and the fan to 30 percent".
fn joined(bags: Vec<Bag>) -> Option<Vec<Bag>> {
    let mut out: Vec<Bag> = Vec::new();
    // Targets without a verb, before the part that has it.
    let mut leading: Vec<Bag> = Vec::new();
    let mut pending = Bag::default();
    for mut bag in bags {
        bag.absorb(&pending);
        pending = Bag::default();
        if bag.is_blank() {
            match out.last_mut() {
                Some(last) => last.absorb(&bag),
                None => pending = bag,
            }
        } else if bag.has_doing() || bag.has_amount() && out.is_empty() {
            // "Turn the lamp and the fan off".
            let is_particle = bag.verbs.is_empty() && !bag.acts.is_empty() && !bag.has_amount();
            if let Some(last) = out.last_mut().filter(|last| is_particle && !last.is_paused && last.is_unfinished()) {
                last.acts.clone_from(&bag.acts);
                bag.verbs.clone_from(&last.verbs);
            }
            for lead in leading.drain(..) {
                if lead.is_place_only() && lead.is_paused && bag.target.areas.is_empty() {
                    bag.target.areas.extend(lead.target.areas);
                    continue;
                }
                let (target, continues) = (lead.target, lead.continues);
                out.push(Bag { target, continues, ..bag.clone() });
            }
            out.push(bag);
        } else if let Some(last) = out.last_mut() {
            if bag.is_place_only() && !bag.has_amount() {
                last.target.areas.append(&mut bag.target.areas);
                last.absorb(&bag);
            } else if last.is_measured_by(&bag) {
                last.absorb(&bag);
                (last.is_loose, last.is_timed, last.is_by) = (bag.is_loose, bag.is_timed, bag.is_by);
                (last.numbers, last.units, last.amounts) = (bag.numbers, bag.units, bag.amounts);
            } else if bag.has_amount() {
                // The verb of the part before, with another value; or a command without a verb.
                if last.has_amount() {
                    bag.acts.clone_from(&last.acts);
                    bag.verbs.clone_from(&last.verbs);
                } else if bag.is_untargeted() {
                    return None;
                }
                out.push(bag);
            } else {
                let same = Bag { target: bag.target, items: bag.items, ..last.clone() };
                out.push(same);
            }
        } else {
            leading.push(bag);
        }
    }
    if let Some(last) = out.last_mut().or(leading.last_mut()) {
        last.absorb(&pending);
    }
    // Targets at the end belong to no verb.
    if !leading.is_empty() && !out.is_empty() {
        return None;
    }
    out.append(&mut leading);
    Some(out)
}

fn command(lexicon: &Lexicon, mut bag: Bag) -> Option<FrameCommand> {
    let has_verb = !bag.verbs.is_empty();
    let is_put = lexicon.put_is_on && bag.verbs == ["put"] && bag.acts.is_empty() && !bag.has_amount();
    combine(lexicon, &mut bag)?;
    if is_put && bag.acts.is_empty() && is_switched(&bag.target) {
        bag.acts.push(Action::On);
    }
    // What is locked or turned off for the night is so from now on.
    if !bag.acts.is_empty() && bag.acts.iter().all(|act| [Action::Lock, Action::Close, Action::Off].contains(act)) {
        bag.amounts.retain(|amount| *amount != Amount::Mode("night".to_owned()));
    }
    let amount = amount(&bag)?;
    let is_loose = bag.is_loose && !bag.target.is_empty();
    if (bag.is_timed || is_loose) && matches!(amount, Some(Amount::Plain(_))) {
        return None;
    }
    // "On by 10" is until 10.
    if bag.is_by && !bag.acts.iter().any(|act| act.is_relative()) {
        return None;
    }
    if bag.target.is_pronoun && !bag.target.named.is_empty() || bag.items.len() > 1 {
        return None;
    }
    let item = bag.items.pop();
    let action = match &item {
        Some(_) => Some(Action::Add),
        None => action(&bag, amount.as_ref())?,
    };
    // A verb that says nothing needs a word that does.
    if item.is_none() && action == Some(Action::Add) || has_verb && action.is_none() && amount.is_none() {
        return None;
    }
    let is_said = action.is_some() || amount.is_some() || bag.continues || bag.is_polite;
    let FrameTarget { kinds, .. } = &bag.target;
    // A kind once, however often it is said.
    let mut kinds = kinds.clone();
    kinds.dedup();
    let target = FrameTarget { kinds, ..bag.target };
    is_said.then_some(FrameCommand { action, target, amount, item, continues: bag.continues, is_polite: bag.is_polite })
}

/// Whether a target is something that "put" turns on.
fn is_switched(target: &FrameTarget) -> bool {
    let is_player = |kind: &String| matches!(kind.as_str(), "radio" | "tv" | "media" | "climate" | "light");
    !target.is_partial && !target.is_pronoun && !target.is_all && target.named.len() == 1
        || target.named.is_empty() && !target.kinds.is_empty() && target.kinds.iter().all(is_player)
}

/// Two words that mean a third: "schließ … ab", "sound off". Neutral verbs go.
fn combine(lexicon: &Lexicon, bag: &mut Bag) -> Option<()> {
    for [one, other, result] in &lexicon.combine {
        let take = |bag: &mut Bag, name: &str| -> bool {
            if let Some(at) = bag.verbs.iter().position(|verb| *verb == name) {
                bag.verbs.remove(at);
                return true;
            }
            let act = Action::of(name);
            if let Some(at) = bag.acts.iter().position(|known| Some(*known) == act) {
                bag.acts.remove(at);
                return true;
            }
            if let Some(at) = bag.target.kinds.iter().position(|kind| kind == name) {
                // An alarm that is armed is still what is armed.
                if name != "alarm" {
                    bag.target.kinds.remove(at);
                }
                return true;
            }
            false
        };
        let mut trial = bag.clone();
        if take(&mut trial, one) && take(&mut trial, other) {
            if result != "nothing" {
                trial.acts.push(Action::of(result)?);
            }
            *bag = trial;
        }
    }
    let has = |name: &str, bag: &Bag| bag.verbs.contains(&name);
    let is_alarm = bag.target.kinds.iter().any(|kind| kind == "alarm");
    if bag.acts.is_empty() && is_alarm && has("put", bag) {
        bag.acts.push(Action::Arm);
    }
    bag.verbs.retain(|verb| !NEUTRAL.contains(verb));
    bag.verbs.is_empty().then_some(())
}

/// The one value; the error is that there are several.
#[allow(clippy::option_option, reason = "more than one value is not no value")]
fn amount(bag: &Bag) -> Option<Option<Amount>> {
    let number = match bag.numbers.as_slice() {
        [] if bag.units.is_empty() => None,
        [number] => Some(*number),
        _ => return None,
    };
    let counted = match (number, bag.units.as_slice()) {
        (None, _) => None,
        (Some(number), []) => Some(Amount::Plain(number)),
        (Some(number), ["percent"]) => Some(Amount::Percent(number)),
        (Some(number), ["degrees", ..]) => Some(Amount::Degrees(number)),
        (Some(number), ["kelvin"]) => Some(Amount::Kelvin(number)),
        _ => return None,
    };
    match (counted, bag.amounts.as_slice()) {
        (counted, []) => Some(counted),
        (None, [amount]) => Some(Some(amount.clone())),
        _ => None,
    }
}

/// The one action; the outer `None` if there are several that do not belong together.
#[allow(clippy::option_option, reason = "two actions are not no action")]
fn action(bag: &Bag, amount: Option<&Amount>) -> Option<Option<Action>> {
    use Action::{
        Activate, Brighter, Clean, Close, Cooler, Darker, Louder, Lower, Mow, Off, On, Open, Quieter, Raise, Resume,
        Set, Start, Warmer,
    };
    let mut acts = bag.acts.clone();
    acts.sort_unstable();
    acts.dedup();
    let is_kind = |name: &str| bag.target.kinds.iter().any(|kind| kind == name);
    if let Some(amount) = amount.filter(|_| !bag.is_by) {
        let sets = [On, Set, Raise, Lower, Brighter, Darker, Warmer, Cooler, Louder, Quieter, Open, Close, Start];
        // An alarm is armed in a mode.
        let is_armed = |act: &Action| *act == Action::Arm && matches!(amount, Amount::Mode(_));
        let is_set = acts.iter().all(|act| sets.contains(act) || is_armed(act));
        // "Turn on the lamp 7" sets nothing.
        let is_plain_on = acts.contains(&On) && matches!(amount, Amount::Plain(_));
        return (is_set && !is_plain_on).then_some(Some(Set));
    }
    let steps = [Brighter, Darker, Louder, Quieter, Warmer, Cooler];
    if acts.len() > 1 && acts.iter().any(|act| steps.contains(act)) {
        acts.retain(|act| ![Set, Raise, Lower].contains(act));
    }
    if acts.len() > 1 && acts.iter().any(|act| [Clean, Mow, Resume, Activate].contains(act)) {
        acts.retain(|act| ![Start, On, Set].contains(act));
    }
    if acts.len() > 1 && acts.contains(&Start) {
        acts.retain(|act| *act != On);
    }
    let [act] = acts.as_slice() else { return acts.is_empty().then_some(None) };
    Some(Some(match act {
        Raise | On if is_kind("volume") => {
            if *act == On {
                Action::Unmute
            } else {
                Louder
            }
        }
        Lower if is_kind("volume") => Quieter,
        Off if is_kind("volume") => Action::Mute,
        Raise if is_kind("temperature") => Warmer,
        Lower if is_kind("temperature") => Cooler,
        Raise if is_kind("brightness") => Brighter,
        Lower if is_kind("brightness") => Darker,
        other => *other,
    }))
}
