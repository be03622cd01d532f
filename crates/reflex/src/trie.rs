//! A trie: finds all texts that begin at a position.

use rustc_hash::FxHashMap;

/// Texts with their values.
#[derive(Debug, Clone)]
pub(crate) struct Trie<T> {
    edges: FxHashMap<(u32, char), u32>,
    /// For each node, the index of its values plus one; 0 for none.
    ends: Vec<u32>,
    values: Vec<Vec<T>>,
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Self { edges: FxHashMap::default(), ends: vec![0], values: Vec::new() }
    }
}

impl<T: PartialEq> Trie<T> {
    /// Adds a text. A value that it already has is not added again; an empty text is never found.
    pub(crate) fn insert(&mut self, text: impl IntoIterator<Item = char>, value: T) {
        let mut node = 0u32;
        for next in text {
            let fresh = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
            node = *self.edges.entry((node, next)).or_insert(fresh);
            if node == fresh {
                self.ends.push(0);
            }
        }
        let Some(end) = self.ends.get_mut(node as usize).filter(|_| node != 0) else { return };
        if *end == 0 {
            self.values.push(Vec::new());
            *end = u32::try_from(self.values.len()).unwrap_or(0);
        }
        if let Some(values) = self.values.get_mut((*end as usize).wrapping_sub(1))
            && !values.contains(&value)
        {
            values.push(value);
        }
    }

    /// Calls back for the single words of all texts, some of them several times.
    pub(crate) fn words(&self, mut tell: impl FnMut(&[char])) {
        let mut after: Vec<Vec<(char, u32)>> = vec![Vec::new(); self.ends.len()];
        let mut starts = vec![0u32];
        for (&(node, next), &to) in &self.edges {
            match after.get_mut(node as usize) {
                Some(after) if next != ' ' => after.push((next, to)),
                _ => starts.push(to),
            }
        }
        let has_space = |node: u32| self.edges.contains_key(&(node, ' '));
        let has_end = |node: u32| self.ends.get(node as usize).is_some_and(|&end| end != 0);
        let mut waiting = vec![(Vec::new(), starts)];
        while let Some((word, nodes)) = waiting.pop() {
            let mut follows: FxHashMap<char, Vec<u32>> = FxHashMap::default();
            for &node in &nodes {
                for &(next, to) in after.get(node as usize).map(Vec::as_slice).unwrap_or_default() {
                    follows.entry(next).or_default().push(to);
                }
            }
            if nodes.iter().any(|&node| has_end(node) || has_space(node)) {
                tell(&word);
            }
            for (next, nodes) in follows {
                let longer: Vec<char> = word.iter().copied().chain([next]).collect();
                waiting.push((longer, nodes));
            }
        }
    }

    /// Calls back for every text that begins at the start of `text`, with its length there and its
    /// values.
    ///
    /// A space in a stored text also matches a hyphen or an underscore.
    pub(crate) fn prefixes<'a>(&'a self, text: &[char], mut tell: impl FnMut(usize, &'a [T])) {
        let mut node = 0u32;
        for (index, &next) in text.iter().enumerate() {
            let edge = self.edges.get(&(node, next)).or_else(|| match next {
                '-' | '_' => self.edges.get(&(node, ' ')),
                _ => None,
            });
            let Some(&found) = edge else { return };
            node = found;
            let end = self.ends.get(node as usize).copied().unwrap_or(0) as usize;
            if let Some(values) = end.checked_sub(1).and_then(|end| self.values.get(end)) {
                tell(index + 1, values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_that_begins_there_is_found() {
        let mut trie = Trie::default();
        for (index, text) in ["lamp", "lamp two", "lam", "other", ""].iter().enumerate() {
            trie.insert(text.chars(), index);
        }
        trie.insert("lamp".chars(), 9);
        trie.insert("lamp".chars(), 9);
        let text: Vec<char> = "lamp-two on".chars().collect();
        let mut found = Vec::new();
        trie.prefixes(&text, |length, values| found.push((length, values.to_vec())));
        assert_eq!(found, [(3, vec![2]), (4, vec![0, 9]), (8, vec![1])]);
    }

    #[test]
    fn the_words_of_all_texts_are_told() {
        let mut trie = Trie::default();
        for text in ["lamp two", "lamp", "other one"] {
            trie.insert(text.chars(), ());
        }
        let mut words: Vec<String> = Vec::new();
        trie.words(|word| words.push(word.iter().collect()));
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        assert_eq!(words, ["lamp", "one", "other", "two"]);
    }
}
