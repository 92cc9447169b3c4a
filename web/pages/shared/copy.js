// The clipboard.

// copy puts a text on the clipboard, and returns whether it did: pages of plain http, other than those of localhost,
// have no clipboard, and a browser may refuse.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
