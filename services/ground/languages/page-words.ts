import { type OidcFailure } from './oidc-failures.js'

export type PageWord = 'you' | 'assistant' | 'message' | 'error' | 'reasoning' | 'partial' | 'steer' | 'goal' | 'scheduled' | 'woken'
  | 'summarised' | 'summary' | 'shortened' | 'tool' | 'result' | 'arguments' | 'nothing' | 'noResult' | 'failed' | 'done' | 'empty'

/** Texts outside of the app, in one language: pages shown before it, and notifications. */
export interface PageWords {
  /** The language as a BCP 47 tag. */
  tag: string
  signIn: {
    title: (name: string) => string
    password: string
    signIn: string
    withPasskey: string
    /** `name`: the name of the identity provider. */
    with: (name: string) => string
    passkeyNeedsScript: string
    wrongPassword: string
    enterPassword: string
    tooMany: (seconds: string) => string
    unreachable: string
    noPasskeyUsed: string
    passkeyRefused: string
    proxyOnly: string
    passkeysElsewhere: string
    oidc: Record<OidcFailure, (name: string) => string>
  }
  pairing: { title: (name: string) => string, code: string, use: string, note: string, needsScript: string }
  /** `unshared`: why a shared page is missing. `broken`: why a page failed, if only the log of the service knows more. */
  error: { missing: string, unknown: string, unshared: string, failed: string, broken: string, again: string, home: string }
  /** In place of the app: after a while in which it has not started, and where scripts are off. */
  app: {
    unstarted: string
    noScript: string
    /** The name of the message box, and what is in it while it is empty, as in the app's own words. */
    box: string
    ask: string
  }
  /** Below the title of a shared page. `day`: the date on which it was shared. */
  shared: (day: string) => string
  /** On the page of a conversation. */
  page: Record<PageWord, string>
  upgrading: string
  /** Actions in the icon menu of the installed app. */
  shortcuts: { newChat: string, home: string }
  /** The service worker fills in `{count}`. */
  notifications: {
    approval: string
    question: string
    turn: string
    resumed: string
    atLimit: string
    failed: string
    job: string
    pull: { checks_failed: string, checks_passed: string, approved: string, commented: string, merged: string, closed: string }
    other: string
    counted: { waiting: string, ended: string, failed: string, running: string, queued: string }
    /** Separates two of these counts. */
    comma: string
  }
}
