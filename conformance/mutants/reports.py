"""What came out, as data and as text."""

LEAST = 95  # per cent of what can be killed


def summary(results, seconds):
    """What is reported, as data. The verdict is about all that can be killed."""
    killable = [r for r in results if not r.mutant.equivalent]
    killed = [r for r in killable if r.killed]
    contradicted = [r for r in results if r.killed and r.mutant.equivalent]
    share = 100 * len(killed) / len(killable) if killable else 100
    return {
        "mutants": len(results),
        "killed": len(killed),
        "killed_by_unit": sum(r.suite == "unit" for r in killed),
        "killed_by_conformance": sum(r.suite == "conformance" for r in killed),
        "survived": len(killable) - len(killed),
        "equivalent": len(results) - len(killable),
        "equivalent_but_killed": [r.mutant.id for r in contradicted],
        "share": round(share, 2),
        "least_share": LEAST,
        "good": share >= LEAST and not contradicted,
        "seconds": round(seconds),
        "results": [
            {"id": r.mutant.id, "file": r.mutant.file, "fault": r.mutant.fault, "equivalent": r.mutant.equivalent,
             "outcome": "killed" if r.killed else "survived", "suite": r.suite, "test": r.test, "how": r.how,
             "seconds": r.seconds} for r in results
        ],
    }


def report(data):
    """The same as text in Markdown."""
    lines = ["| file | mutants | killed by unit tests | by conformance | survived | equivalent |", "|---|---|---|---|---|---|"]
    files = list(dict.fromkeys(r["file"] for r in data["results"]))
    rows = [(f, [r for r in data["results"] if r["file"] == f]) for f in files] + [("all", data["results"])]
    for name, row in rows:
        real = [r for r in row if not r["equivalent"]]
        counts = [sum(r["suite"] == s for r in real) for s in ("unit", "conformance", "")]
        lines.append(f"| {name} | {len(row)} | " + " | ".join(map(str, counts)) + f" | {len(row) - len(real)} |")
    for r in data["results"]:
        if r["outcome"] == "survived" and not r["equivalent"]:
            lines.append(f"\nsurvived: {r['id']} ({r['file']}): {r['fault']}")
    for r in data["results"]:
        if r["equivalent"] and r["outcome"] == "survived":
            lines.append(f"\nequivalent: {r['id']}: {r['fault']}: {r['equivalent']}")
        elif r["equivalent"]:
            lines.append(f"\nNOT EQUIVALENT: {r['id']}: {r['test']} {r['how']}: it can be killed")
    lines.append(f"\n{data['killed']} of {data['killed'] + data['survived']} killed, {data['share']} %; "
                 f"at least {LEAST} % is wanted ({data['seconds']} s)")
    return "\n".join(lines) + "\n"
