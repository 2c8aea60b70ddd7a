import { type PageWords } from './page-words.js'

export const en: PageWords = {
  tag: 'en',
  signIn: {
    title: (name) => `Sign in – ${name}`,
    password: 'Password',
    signIn: 'Sign in',
    withPasskey: 'Sign in with a passkey',
    with: (name) => `Sign in with ${name}`,
    passkeyNeedsScript: 'Signing in with a passkey needs JavaScript.',
    enterPassword: 'Enter the password.',
    wrongPassword: 'This is not the password.',
    tooMany: (seconds) => `Too many attempts. Try again in ${seconds} s.`,
    unreachable: 'The service cannot be reached. Try again.',
    noPasskeyUsed: 'No passkey was used. Try again.',
    passkeyRefused: 'This passkey was not accepted.',
    proxyOnly: 'This service has no password. Open it through its proxy.',
    passkeysElsewhere: 'The passkeys are for another address of this service: open it there.',
    oidc: {
      oidc_unavailable: (name) => `${name} cannot be reached at the moment. Try again, or sign in another way.`,
      oidc_refused: (name) => `You are known to ${name}, but this service does not let your account in.`,
      oidc_unverified: (name) => `${name} has not verified your e-mail address, so it does not count here.`,
      oidc_cancelled: (name) => `${name} did not let you through, or you went back. Try again.`,
      oidc_expired: () => 'This sign-in has expired, was used already, or was begun in another browser. Try again.',
      oidc_failed: (name) => `What ${name} answered could not be trusted. Try again.`,
      oidc_busy: () => 'Too many attempts. Try again in a minute.'
    }
  },
  pairing: {
    title: (name) => `Pair this browser – ${name}`,
    code: 'Pairing code',
    use: 'Use this browser',
    note: 'A browser that is signed in shows the code in Settings, under Devices and tokens. It works once.',
    needsScript: 'Pairing needs JavaScript.'
  },
  error: {
    missing: 'Page not found',
    unknown: 'The address may be mistyped, or the page was removed.',
    failed: 'This page cannot be shown',
    home: 'Go to the start page'
  },
  upgrading: 'The service is upgrading its database. Nothing is lost, and this page goes on by itself.',
  shortcuts: { newChat: 'New chat', home: 'Home' },
  notifications: {
    approval: 'Wants your permission',
    question: 'Asks you something',
    turn: 'Has answered',
    resumed: 'Goes on: the limit is over',
    atLimit: 'At the limit of its provider: decide how it continues',
    failed: 'Did not finish',
    job: 'A scheduled task has run',
    pull: {
      checks_failed: 'Checks failed', checks_passed: 'Checks passed', approved: 'Approved', commented: 'New comment', merged: 'Merged',
      closed: 'Closed without merging'
    },
    other: 'Something is new',
    counted: {
      waiting: '{count} waiting for you', ended: '{count} ended', failed: '{count} of them failed', running: '{count} running',
      queued: '{count} queued'
    },
    comma: ', '
  }
}
