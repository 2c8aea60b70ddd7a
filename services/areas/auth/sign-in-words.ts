import { type OidcFailure, oidcFailures } from './oidc-failures.js'

/** What the page to sign in says. */
export interface SignInWords {
  title: (name: string) => string
  password: string
  signIn: string
  withPasskey: string
  /** `name`: what the identity provider is called. */
  with: (name: string) => string
  passkeyNeedsScript: string
  enterPassword: string
  wrongPassword: string
  tooMany: (seconds: string) => string
  unreachable: string
  noPasskeyUsed: string
  passkeyRefused: string
  proxyOnly: string
  passkeysElsewhere: string
  oidc: Record<OidcFailure, (name: string) => string>
}

const en: SignInWords = {
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
}

const zh: SignInWords = {
  title: (name) => `登录 – ${name}`,
  password: '密码',
  signIn: '登录',
  withPasskey: '使用通行密钥登录',
  with: (name) => `使用 ${name} 登录`,
  passkeyNeedsScript: '使用通行密钥登录需要启用 JavaScript。',
  enterPassword: '请输入密码。',
  wrongPassword: '密码不正确。',
  tooMany: (seconds) => `尝试次数过多，请在 ${seconds} 秒后重试。`,
  unreachable: '无法连接服务，请重试。',
  noPasskeyUsed: '没有使用通行密钥，请重试。',
  passkeyRefused: '这个通行密钥未被接受。',
  proxyOnly: '没有可用来登录的密码：此服务通过代理访问。',
  passkeysElsewhere: '通行密钥属于此服务的另一个地址：请在那里打开。',
  oidc: {
    oidc_unavailable: (name) => `暂时无法连接 ${name}。请重试，或用其他方式登录。`,
    oidc_refused: (name) => `${name} 认识你，但此服务不允许你的帐户进入。`,
    oidc_unverified: (name) => `${name} 尚未验证你的电子邮件地址，因此在这里不算数。`,
    oidc_cancelled: (name) => `${name} 没有放行，或者你返回了。请重试。`,
    oidc_expired: () => '这次登录已过期、已经用过，或是在另一个浏览器中开始的。请重试。',
    oidc_failed: (name) => `${name} 的答复无法信任，请重试。`,
    oidc_busy: () => '尝试次数过多，请一分钟后重试。'
  }
}

export const signInWords = { en, zh }
export type SignInLanguage = keyof typeof signInWords

const isKnown = (language: string | undefined): language is SignInLanguage => language === 'en' || language === 'zh'
const withoutRegion = (tag: string | undefined): string | undefined => tag?.toLowerCase().split('-')[0]

/**
 * The language of the page to sign in: the first that was chosen, in the app of this device or for all of the service, else the first that
 * the browser wants; each only where the page speaks it.
 *
 * @param accepted the Accept-Language header
 */
export function signInLanguage (chosen: ReadonlyArray<string | undefined>, accepted: string | undefined): SignInLanguage {
  const first = chosen.map(withoutRegion).find(isKnown)
  if (first !== undefined) return first
  const wanted = (accepted ?? '').split(',').flatMap((part, place) => {
    const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const language = withoutRegion(tag)
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    return isKnown(language) && quality > 0 ? [{ language, quality, place }] : []
  })
  return wanted.sort((one, other) => other.quality - one.quality || one.place - other.place)[0]?.language ?? 'en'
}

/** Why nobody was signed in, for the person at the page; null for what is no failure of ours. */
export function explainOidcFailure (failure: string | undefined, name: string, words: SignInWords): string | null {
  const known = oidcFailures.find((each) => each === failure)
  return known === undefined ? null : words.oidc[known](name)
}
