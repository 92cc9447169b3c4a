// Whether the window is as narrow as that of a phone: then what is needed seldom goes into a menu.
import { useEffect, useMemo, useState } from '../vendor/preact-htm.js';

// useNarrow reports whether the window is narrow. While a dialog is open the answer stays the same: the button that
// opened it would move, and the dialog with what was typed in it would be gone when a phone is turned.
export function useNarrow() {
  const query = useMemo(() => matchMedia('(max-width: 46rem)'), []);
  const [narrow, set] = useState(query.matches);
  useEffect(() => {
    const follow = () => document.querySelector('dialog[open]') ?? set(query.matches);
    query.addEventListener('change', follow);
    addEventListener('focusin', follow); // the focus returns once the dialog is closed
    return () => {
      query.removeEventListener('change', follow);
      removeEventListener('focusin', follow);
    };
  }, []);
  return narrow;
}
