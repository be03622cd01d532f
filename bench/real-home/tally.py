"""Counts what was right, refused and wrong, and prints it as a table."""


class Tally:
    def __init__(self):
        self.rows, self.failures = {}, []

    def count(self, part, verdict, what, more=""):
        """Counts a case: `right`, `refused` (nothing was done) or `wrong` (something that was not asked for)."""
        self.rows.setdefault(part, {"right": 0, "refused": 0, "wrong": 0})[verdict] += 1
        if verdict != "right":
            print(f"  {verdict:8} {part}: {what}{': ' + str(more) if more != '' else ''}", flush=True)

    def check(self, part, what, held, more="", act=False):
        """Counts something that must hold; if it is about what was done, a failure is a wrong act."""
        self.count(part, "right" if held else "wrong" if act else "refused", what, more)
        if not held:
            self.failures.append(f"{part}: {what}")

    def wrong(self):
        return sum(row["wrong"] for row in self.rows.values())

    def print(self):
        print("\n| part | cases | right | refused | wrong |\n|---|---:|---:|---:|---:|")
        total = {"right": 0, "refused": 0, "wrong": 0}
        for part, row in self.rows.items():
            print(f"| {part} | {sum(row.values())} | {row['right']} | {row['refused']} | {row['wrong']} |")
            for verdict, count in row.items():
                total[verdict] += count
        print(f"| all | {sum(total.values())} | {total['right']} | {total['refused']} | {total['wrong']} |", flush=True)
