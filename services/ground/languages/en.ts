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
    wrongPassword: 'Wrong password. If it is lost, run agent-web-service reset-password on the machine of the service.',
    tooMany: (seconds) => `Too many attempts. Try again in ${seconds} s.`,
    unreachable: 'The service cannot be reached. Try again.',
    noPasskeyUsed: 'No passkey was used. Try again.',
    passkeyRefused: 'This passkey was not accepted.',
    proxyOnly: 'This service has no password. Open it through its proxy.',
    passkeysElsewhere: 'The passkeys belong to another address of this service. Open it there.',
    oidc: {
      oidc_unavailable: (name) => `${name} cannot be reached at the moment. Try again, or sign in another way.`,
      oidc_refused: (name) => `${name} signed you in, but this service does not accept your account.`,
      oidc_unverified: (name) => `${name} has not verified your e-mail address, so this service does not accept it.`,
      oidc_cancelled: (name) => `${name} did not sign you in, or you went back. Try again.`,
      oidc_expired: () => 'This sign-in has expired, was already used, or was begun in another browser. Try again.',
      oidc_failed: (name) => `The answer from ${name} could not be trusted. Try again.`,
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
    unshared: 'This page does not exist, or is no longer shared. Ask the person who sent you the link.',
    failed: 'This page cannot be shown',
    broken: 'Something went wrong in the service. Its log has the details.',
    again: 'Try again',
    home: 'Go to the start page'
  },
  app: {
    unstarted:
      'The app has not started. A slow network needs more time; otherwise reload the page. ' +
      'If that does not help, update the browser, or allow scripts of this address.',
    noScript: 'This app needs JavaScript.',
    box: 'Message',
    ask: 'Ask anything, or describe a task'
  },
  shared: (day) => `${day} · Read only`,
  page: {
    you: 'You',
    assistant: 'Assistant',
    message: 'Message',
    error: 'Error',
    reasoning: 'Reasoning',
    partial: 'Stopped here: the answer is not complete',
    steer: 'Added while working',
    goal: 'Goal',
    scheduled: 'Scheduled',
    woken: 'Woken by a process',
    summarised: 'Earlier messages were summarised for the model',
    summary: 'Summary',
    shortened: 'Shortened: the rest of this message is not on this page.',
    tool: 'Tool',
    result: 'Result',
    arguments: 'Arguments',
    nothing: '(nothing)',
    noResult: 'no result',
    failed: 'failed',
    done: 'done',
    empty: 'There are no messages in this conversation.'
  },
  upgrading: 'The service is upgrading its database. Nothing is lost, and this page continues automatically.',
  shortcuts: { newChat: 'New chat', home: 'Home' },
  notifications: {
    approval: 'Needs your approval',
    question: 'Has a question for you',
    turn: 'Has answered',
    resumed: 'Continues: the limit has passed',
    atLimit: 'The provider is at its limit: decide how to continue',
    failed: 'Did not finish',
    job: 'A scheduled task ran',
    pull: {
      checks_failed: 'Checks failed', checks_passed: 'Checks passed', approved: 'Approved', commented: 'New comment', merged: 'Merged',
      closed: 'Closed without merging'
    },
    other: 'Something new',
    counted: {
      waiting: '{count} waiting for you', ended: '{count} finished', failed: '{count} of them failed', running: '{count} running',
      queued: '{count} queued'
    },
    comma: ', '
  }
}
