import { createPasskeyList, type PasskeyListOptions } from './passkey-list.js'
import { createPasskeyParties, type PasskeyPartiesOptions } from './passkey-parties.js'
import { createPasskeyRegistration, type PasskeyRegistrationOptions } from './passkey-registration.js'
import { createPasskeySignIn, type PasskeySignInOptions } from './passkey-sign-in.js'

export type PasskeysOptions = PasskeyPartiesOptions & PasskeyListOptions & Omit<PasskeySignInOptions & PasskeyRegistrationOptions, 'parties'>

/** Passkeys as clients use them. Every operation throws NotFound while they are switched off, except `hasOne`. */
export function createPasskeys (options: PasskeysOptions) {
  const parties = createPasskeyParties(options)
  return {
    ...createPasskeySignIn({ ...options, parties }),
    ...createPasskeyRegistration({ ...options, parties }),
    ...createPasskeyList(options)
  }
}
