export default {
  "proof_title": "How this draw was made",
  "proof_later": "It is not drawn yet. Come back after the start to check it.",
  "proof_unable": "This browser can't check a draw here: open the shop over https. The data is below.",
  "proof_unread": "The entries can't be read now.",
  "proof_runs": "Your browser is checking the draw …",
  "proof_right": "Your browser has checked this draw: everything is right.",
  "proof_wrong": "Your browser has found something wrong with this draw. See below, and tell the shop.",
  "proof_hash": "The promise",
  "proof_hash_help":
    "Before the first entry, the shop made a secret seed and showed its fingerprint (SHA-256). The seed can't be " +
    "exchanged any more.",
  "proof_entries": "The entries: {entries}",
  "proof_open": "Buyers enter until {at}. When they enter makes no difference.",
  "proof_closed": "The entries were closed at {at}.",
  "proof_seed": "The seed",
  "proof_seed_help": "It was shown once the entries were closed.",
  "proof_seed_later": "It is shown here once the entries are closed.",
  "proof_seed_ok": "It has the promised fingerprint.",
  "proof_seed_bad": "It does not have the promised fingerprint.",
  "proof_order": "The order",
  "proof_order_help":
    "Each entry has an id. The entries are sorted by the SHA-256 of the seed, a line feed, and their id, so nobody " +
    "chooses a place. Units go down this list at each stock point. An entry is passed only if its buyer has left, or " +
    "wants more units than are left.",
  "proof_order_ok": "The order of all entries follows from the seed: {count}.",
  "proof_order_part": "The order of the first {count} entries follows from the seed.",
  "proof_order_bad": "The order of the entries does not follow from the seed.",
  "proof_passed_ok": "Nobody was passed.",
  "proof_passed_bad": "Entries that were passed: {n}.",
  "proof_mine": "Your entry is number {rank}.",
  "proof_mine_lost": "Your entry is not in the list.",
  "proof_data": "Data to check it yourself",
  "proof_json": "Fingerprint and seed (JSON)",
  "proof_json_of": "Entries for {title} in their order (JSON)"
}
