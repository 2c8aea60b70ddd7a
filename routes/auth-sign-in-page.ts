import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { cookieValues } from '../plugins/ground/cookies.js'
import { pageWordsFor } from '../plugins/ground/page-language.js'
import { asset } from '../services/ground/assets.js'
import { fillPage } from '../services/ground/text/html.js'
import { type PageWords } from '../services/ground/languages/index.js'

const template = readFileSync(asset('web/login.html'), 'utf8')

/** Returns a choice of look or language that the app has stored on this device (web/src/core/device/sign-in-page.ts). */
const chosen = (request: FastifyRequest, name: string): string | undefined => cookieValues(request.headers.cookie, name)[0]

/** Answers with the sign-in page, in the language of the client. `next`: a path of this service. */
export function sendSignInPage (
  app: FastifyInstance, request: FastifyRequest, reply: FastifyReply,
  { next, message }: { next: string, message: (words: PageWords['signIn']) => string }
): FastifyReply {
  const { auth } = app
  const { tag, signIn: words } = pageWordsFor(request)
  const { bot_name: name, rtl: isRightToLeft } = app.settings.values()
  const theme = chosen(request, 'app_theme')
  const hasPasskey = auth.passkeyGated && auth.passkeys.hasOne(request.pageAddress())
  const isOpenable = auth.passwordGated || hasPasskey || auth.oidc.isOpen
  // With no-referrer, a browser would send the form with `Origin: null`, which the guard refuses.
  return reply
    .header('referrer-policy', 'same-origin')
    .header('vary', 'Accept-Language, Cookie')
    .type('text/html; charset=utf-8')
    .send(fillPage(template, {
      lang: tag,
      dir: isRightToLeft ? 'rtl' : 'ltr',
      // Inserted text cannot end a quoted value.
      theme: theme === 'light' || theme === 'dark' ? `data-theme=${theme}` : '',
      title: words.title(name),
      name,
      host: request.host,
      next,
      message: isOpenable ? message(words) : auth.passkeyGated ? words.passkeysElsewhere : words.proxyOnly,
      form: auth.passwordGated ? '' : 'hidden',
      password: words.password,
      sign_in: words.signIn,
      oidc: auth.oidc.isOpen ? '' : 'hidden',
      with_oidc: words.with(auth.oidc.name ?? ''),
      oidc_link: `/api/auth/oidc/login?next=${encodeURIComponent(next)}`,
      // A button that does nothing without scripts is shown by the script.
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
