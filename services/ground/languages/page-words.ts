import { type OidcFailure } from './oidc-failures.js'

/** What is said outside of the app, in one language: by the pages that come before it, and by notifications. */
export interface PageWords {
  /** The language, as BCP 47 has it. */
  tag: string
  signIn: {
    title: (name: string) => string
    password: string
    signIn: string
    withPasskey: string
    /** `name`: what the identity provider is called. */
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
  error: { missing: string, unknown: string, failed: string, home: string }
  upgrading: string
  /** Actions of the installed app, in the menu of its icon. */
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
    /** Stands between two of these counts. */
    comma: string
  }
}
