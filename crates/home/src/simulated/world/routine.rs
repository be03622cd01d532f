//! What has its hours: spells of the day, short bursts, and the runs of automations.

use std::rc::Rc;

use jiff::civil::Date;
use protocol::Timestamp;

use super::World;
use crate::{
    Period,
    simulated::{
        calendar::Calendar,
        deeds::Deed,
        furniture::{Days, Face, Kind, Piece, Spell, When},
        nature,
    },
};

/// In how long a stretch a burst happens at most once.
const BURST_MILLIS: i64 = 600_000;

impl World<'_> {
    /// Seconds into a day.
    fn seconds(when: When, date: Date) -> i64 {
        match when {
            When::Clock(hours, minutes) => hours * 3_600 + minutes * 60,
            When::Sunrise(minutes) => nature::sunrise(date) + minutes * 60,
            When::Sunset(minutes) => nature::sunset(date) + minutes * 60,
        }
    }

    fn is_on(days: Days, date: Date) -> bool {
        match days {
            Days::All => true,
            Days::Work => Calendar::is_workday(date),
            Days::Free => !Calendar::is_workday(date),
        }
    }

    /// The spells that begin on a day, by their number.
    fn spells(&self, piece: &Piece, spells: &[Spell], date: Date) -> Rc<[(usize, Period)]> {
        if let Some(known) = self.spells.borrow().get(&(piece.id, date)) {
            return known.clone();
        }
        let found = spells.iter().enumerate();
        let found: Rc<[(usize, Period)]> =
            found.filter_map(|(number, spell)| Some((number, self.spell(piece, number, spell, date)?))).collect();
        self.spells.borrow_mut().insert((piece.id, date), found.clone());
        found
    }

    /// From when until when a spell lasts that begins on a day, if there is one.
    fn spell(&self, piece: &Piece, number: usize, spell: &Spell, date: Date) -> Option<Period> {
        let number = i64::try_from(number).unwrap_or(0);
        let chance = self.chance.name(piece.id).number(Calendar::number(date)).number(number);
        if !Self::is_on(spell.days, date) || chance.unit() >= spell.chance {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "minutes of a day")]
        let moved = |chance: f64| (chance * spell.jitter * 60.0) as i64;
        let from = Self::seconds(spell.from, date) + moved(chance.number(1).around());
        let until = Self::seconds(spell.until, date) + moved(chance.number(2).around());
        (from < until).then(|| Period { from: self.calendar.at(date, from), until: self.calendar.at(date, until) })
    }

    pub(super) fn routine(&self, piece: &Piece, idle: &Face, spells: &[Spell], at: Timestamp) -> Face {
        if spells.is_empty() {
            return idle.clone();
        }
        let mut last = None;
        for date in self.calendar.eve_and_day(at) {
            let here = self.spells(piece, spells, date);
            last = last.max(here.iter().filter(|(_, lasts)| lasts.has(at)).map(|(number, _)| *number).max());
        }
        last.and_then(|number| spells.get(number)).map_or(idle, |spell| &spell.face).clone()
    }

    /// What brought a change at a moment about, if it was something of the home.
    pub(in crate::simulated) fn cause(&self, piece: &Piece, at: Timestamp) -> Option<&'static str> {
        let (Kind::Routine { spells, .. } | Kind::Climate { spells, .. }) = &piece.kind else { return None };
        self.calendar.eve_and_day(at).into_iter().find_map(|date| {
            self.spells(piece, spells, date).iter().find_map(|(number, lasts)| match spells.get(*number)?.causes {
                [begun, _] if lasts.from == at => begun,
                [_, ended] if lasts.until == at => ended,
                _ => None,
            })
        })
    }

    pub(super) fn routine_edges(&self, piece: &Piece, period: Period, edges: &mut Vec<Timestamp>) {
        let (Kind::Routine { spells, .. } | Kind::Climate { spells, .. }) = &piece.kind else { return };
        if spells.is_empty() {
            return;
        }
        for date in self.calendar.days(period.from, period.until) {
            edges.extend(self.spells(piece, spells, date).iter().flat_map(|(_, lasts)| [lasts.from, lasts.until]));
        }
    }

    /// The burst of a stretch of ten minutes, if there is one.
    fn burst(&self, piece: &Piece, busy: &[(f64, f64, f64)], stretch: i64) -> Option<Period> {
        let chance = self.chance.name(piece.id).number(stretch);
        let begins = Timestamp::from_millis(stretch * BURST_MILLIS);
        let hour = self.calendar.hour(begins);
        let likely = busy.iter().find(|(from, until, _)| *from <= hour && hour < *until).map_or(0.004, |hours| hours.2);
        if chance.unit() >= likely {
            return None;
        }
        #[allow(clippy::cast_possible_truncation, reason = "minutes")]
        let (after, length) =
            ((chance.number(1).unit() * 400.0) as i64 * 1_000, (30.0 + chance.number(2).unit() * 150.0) as i64 * 1_000);
        let from = Timestamp::from_millis(begins.as_millis() + after);
        Some(Period { from, until: Timestamp::from_millis(from.as_millis() + length) })
    }

    /// When the sun rises and sets.
    pub(super) fn sun_edges(&self, period: Period, edges: &mut Vec<Timestamp>) {
        for date in self.calendar.days(period.from, period.until) {
            edges.push(self.calendar.at(date, nature::sunrise(date)));
            edges.push(self.calendar.at(date, nature::sunset(date)));
        }
    }

    pub(super) fn motion(&self, piece: &Piece, busy: &[(f64, f64, f64)], at: Timestamp) -> Face {
        let stretch = at.as_millis().div_euclid(BURST_MILLIS);
        let moves = self.burst(piece, busy, stretch).is_some_and(|burst| burst.has(at));
        Face::word(if moves { "on" } else { "off" })
    }

    pub(super) fn motion_edges(
        &self,
        piece: &Piece,
        busy: &[(f64, f64, f64)],
        period: Period,
        edges: &mut Vec<Timestamp>,
    ) {
        let stretch = |moment: Timestamp| moment.as_millis().div_euclid(BURST_MILLIS);
        for stretch in stretch(period.from)..=stretch(period.until) {
            if let Some(burst) = self.burst(piece, busy, stretch) {
                edges.extend([burst.from, burst.until]);
            }
        }
    }

    /// When an automation ran by itself in a stretch of time and what set it off, oldest first.
    pub(in crate::simulated) fn runs(
        &self,
        runs: &'static [(When, &'static str)],
        period: Period,
    ) -> Vec<(Timestamp, &'static str)> {
        let mut all = Vec::new();
        for date in self.calendar.days(period.from, period.until) {
            all.extend(runs.iter().map(|(when, why)| (self.calendar.at(date, Self::seconds(*when, date)), *why)));
        }
        all.retain(|(run, _)| period.has(*run));
        all.sort_unstable();
        all
    }

    pub(super) fn last_run(
        &self,
        piece: &Piece,
        runs: &'static [(When, &'static str)],
        at: Timestamp,
    ) -> Option<Timestamp> {
        let from = Timestamp::from_millis(at.as_millis() - 2 * 86_400_000);
        let until = Timestamp::from_millis(at.as_millis() + 1);
        let told = self.deeds.of(piece.id).iter().filter(|deed| deed.at <= at).filter_map(Deed::run_at);
        self.runs(runs, Period { from, until }).into_iter().map(|(run, _)| run).chain(told).max()
    }
}
