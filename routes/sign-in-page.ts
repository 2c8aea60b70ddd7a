import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { cookieValues } from '../plugins/ground/cookies.js'
import { signInLanguage, signInWords, type SignInWords } from '../services/areas/auth/index.js'
import { asset } from '../services/ground/assets.js'
import { fillPage } from '../services/ground/html.js'

const template = readFileSync(asset('web/login.html'), 'utf8')
const tags = { en: 'en', zh: 'zh-CN' } as const

/** What the app has been told to look and speak like on this device (web/src/core/device/look.ts). */
const chosen = (request: FastifyRequest, name: string): string | undefined => cookieValues(request.headers.cookie, name)[0]

const languageOf = (request: FastifyRequest): keyof typeof signInWords =>
  signInLanguage([chosen(request, 'app_language'), request.server.settings.savedLanguage()], request.headers['accept-language'])

/** The page to sign in, in the language of whoever asks for it. `next`: a path of this service. */
export function sendSignInPage (
  app: FastifyInstance, request: FastifyRequest, reply: FastifyReply,
  { next, message }: { next: string, message: (words: SignInWords) => string }
): FastifyReply {
  const { auth } = app
  const language = languageOf(request)
  const words = signInWords[language]
  const { bot_name: name, rtl: isRightToLeft } = app.settings.values()
  const theme = chosen(request, 'app_theme')
  const hasPasskey = auth.passkeyGated && auth.passkeys.hasOne(request.pageAddress())
  const isOpenable = auth.passwordGated || hasPasskey || auth.oidc.isOpen
  // With no-referrer a browser would send the form with `Origin: null`, which the guard refuses.
  return reply
    .header('referrer-policy', 'same-origin')
    .header('vary', 'Accept-Language, Cookie')
    .type('text/html; charset=utf-8')
    .send(fillPage(template, {
      lang: tags[language],
      dir: isRightToLeft ? 'rtl' : 'ltr',
      // Filled-in text cannot end a value in quotes.
      theme: theme === 'light' || theme === 'dark' ? `data-theme=${theme}` : '',
      title: words.title(name),
      name,
      next,
      message: isOpenable ? message(words) : auth.passkeyGated ? words.passkeysElsewhere : words.proxyOnly,
      form: auth.passwordGated ? '' : 'hidden',
      password: words.password,
      sign_in: words.signIn,
      oidc: auth.oidc.isOpen ? '' : 'hidden',
      with_oidc: words.with(auth.oidc.name ?? ''),
      oidc_link: `/api/auth/oidc/login?next=${encodeURIComponent(next)}`,
      // A button that does nothing without script is shown by the script.
      passkey: hasPasskey ? 'data-offered' : '',
      with_passkey: words.withPasskey,
      noscript: hasPasskey ? '' : 'hidden',
      passkey_needs_script: words.passkeyNeedsScript,
      wrong_password: words.wrongPassword,
      too_many: words.tooMany('{seconds}'),
      unreachable: words.unreachable,
      no_passkey_used: words.noPasskeyUsed,
      passkey_refused: words.passkeyRefused
    }))
}
