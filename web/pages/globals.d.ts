// What browsers, and those that embed the pages, add to the globals that the type checker knows.
interface Window {
  /** Returns the reader's token, where a platform with its own sign-in embeds a page. */
  onrushToken?: () => string | Promise<string>;
  Stripe?: any;
}

interface Navigator {
  userAgentData?: { mobile: boolean };
}
