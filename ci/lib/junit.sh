# shellcheck shell=bash
# What CTest's JUnit files say. CTest writes one <testcase ...> to a line.

# "PASSED FAILED SKIPPED". A test that could not be run ("notrun") is a skip only when it skipped itself.
junit_counts() { # FILE
  awk '
    /<testcase / {
      settle()
      status = ""
      if (match($0, / status="[a-z]*"/)) status = substr($0, RSTART + 9, RLENGTH - 10)
      skip_by_itself = 0
    }
    /<skipped message="SKIP_/ { skip_by_itself = 1 }
    END { settle(); printf "%d %d %d\n", passed, failed, skipped }
    function settle() {
      if (status == "run") passed++
      else if (status == "disabled" || (status == "notrun" && skip_by_itself)) skipped++
      else if (status != "") failed++
      status = ""
    }' "$1"
}

# "NAME PASSED TOTAL" for each first part of a test name that has a "/" in it (a backend, or "liars");
# names without one count as "unit".
junit_groups() { # FILE
  awk '
    /<testcase / {
      match($0, / name="[^"]*"/)
      name = substr($0, RSTART + 7, RLENGTH - 8)
      group = name ~ /^[a-z_]+\// ? substr(name, 1, index(name, "/") - 1) : "unit"
      total[group]++
      if ($0 ~ / status="run"/) passed[group]++
    }
    END { for (group in total) printf "%s %d %d\n", group, passed[group], total[group] }' "$1" | sort
}

# Each test that failed, and the end of what it printed.
junit_failures() { # FILE
  awk '
    /<testcase / {
      failed = / status="fail"/
      lines = 0
      match($0, / name="[^"]*"/)
      name = substr($0, RSTART + 7, RLENGTH - 8)
    }
    failed && !/<testcase |<failure |<properties>|<property |<\/properties>/ { text[lines++] = $0 }
    /<\/testcase>/ && failed {
      print "failed: " plain(name)
      for (i = lines > 9 ? lines - 9 : 0; i < lines - 1; i++) if (plain(text[i]) !~ /^[ \t]*$/) print "    " plain(text[i])
      failed = 0
    }
    function plain(s) {
      gsub(/^[ \t]*<system-out>|<\/system-out>/, "", s)
      gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&apos;/, "\047", s); gsub(/&amp;/, "\\&", s)
      return s
    }' "$1"
}
