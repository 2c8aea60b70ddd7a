import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readFileSync } from 'node:fs'
import { pageWordsFor } from '../plugins/ground/page-language.js'
import { contentSecurityPolicy } from '../plugins/ground/security.js'
import { asset } from '../services/ground/assets.js'
import { fieldsOf } from '../services/ground/fields.js'
import { escapeHtml, fillPage } from '../services/ground/text/html.js'
import { type PageWords, pageWords } from '../services/ground/languages/index.js'

/** Addresses of the app (web/src/shell/screens.tsx). Any other unknown address is a 404. */
const places = [
  '/', '/new', '/session/:id', '/away', '/inbox', '/tasks', '/tasks/hooks', '/attempts', '/skills', '/memory', '/usage', '/models', '/settings', '/settings/:section'
]

/** The address to which other apps on a device share content. */
const sharePath = '/take-shared'

interface Shell {
  version: string
  /** The script of the service worker, which expects its values in `appBuild`. */
  worker: string
  first: string[]
  rest: string[]
  /** Files by language. */
  words: Record<string, string[]>
  /** Those that a page needs besides which begins with a chat. */
  chat: string[]
  /** The script with which a stored home screen begins. */
  begin: string
  icons: Array<{ name: string, pixels: number, safe: boolean }>
}

/** The output of web/build.js. */
const shell: Shell = JSON.parse(readFileSync(asset('web/built/shell.json'), 'utf8'))

const page = readFileSync(asset('web/built/app.html'), 'utf8')

/**
 * Returns the page with links that load early what its script asks for first: the words of the language, and the code of a chat. Only the
 * home screen has the message box that can be used before the script runs.
 */
function pageFor (language: string, place: string): string {
  const [before = '', box = '', after = ''] = page.split('<!-- home -->')
  return `${before}${place === '/' ? box : ''}${after}`
    .replace('</head>', () => `${linksTo(wordsOf(language))}${place === '/session/:id' ? linksTo(shell.chat) : ''}</head>`)
}

/** Files with the words of the start in a language; English ones are in the script. */
const wordsOf = (language: string): string[] => (shell.words[language] ?? []).filter((name) => !name.includes('-screens-'))

const linksTo = (names: string[]): string => names.map((name) =>
  `<link ${name.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'} crossorigin href="/static/app/${name}">`).join('')

/** The page, and the other files that browsers request. It contains no data: its script uses the API like any other client. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const name = (): string => app.settings.values().bot_name

  for (const path of places) {
    app.get(path, { config: { scope: 'read' }, schema: { hide: true } }, async (request, reply) => {
      const words = pageWordsFor(request)
      return await reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
        .send(fillPage(pageFor(words.tag.split('-')[0] ?? '', path), {
          name: name(), csrf_token: request.operator?.csrfToken ?? '', app_version: app.appVersion, start: startPath(request.params),
          ...startWords(words)
        }))
    })
  }

  await app.register(missedShares)

  app.get('/manifest.json', { config: { scope: 'read', embedded: true }, schema: { hide: true } }, async (request, reply) => await reply
    .type('application/manifest+json').header('cache-control', 'no-cache').header('vary', 'Accept-Language, Cookie')
    .send(JSON.stringify(manifestOf(name(), pageWordsFor(request)))))

  app.get('/sw.js', { config: { scope: 'read', embedded: true }, schema: { hide: true } }, async (request, reply) => await reply
    .type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(workerOf(name())))
}
export default plugin

/** Returns the address of the script's first request (web/src/core/service/start.ts), so that it is preloaded before the script runs. */
function startPath (params: unknown): string {
  const { id } = fieldsOf(params)
  return `/api/start${typeof id === 'string' ? `?session_id=${encodeURIComponent(id)}` : ''}`
}

/** What the page says before its script runs, and if it does not. */
const startWords = ({ tag, app: { unstarted, noScript, box, ask }, error: { again } }: PageWords): Record<string, string> =>
  ({ lang: tag, unstarted, again, no_script: noScript, box, ask })

/** Leaves the places of these words in a page, for the service worker to fill. */
const startPlaces = Object.fromEntries(Object.keys(startWords(pageWords.en)).map((name) => [name, `{{${name}}}`]))

/** Returns these words as markup, by language. */
const startMarkup = (): Record<string, Record<string, string>> => Object.fromEntries(Object.entries(pageWords).map(([language, words]) =>
  [language, Object.fromEntries(Object.entries(startWords(words)).map(([name, text]) => [name, escapeHtml(text)]))]))

/** Content that is shared while no service worker controls the window is not accepted: the app says so. */
const missedShares: FastifyPluginAsyncTypebox = async (app) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.post(sharePath, {
    config: { scope: 'person', csrfToken: 'none' }, schema: { hide: true }
  }, async (_request, reply) => await reply.redirect('/?shared=failed', 303))
}

/** Returns the manifest for devices that install the app. */
function manifestOf (name: string, { shortcuts }: PageWords): object {
  return {
    name,
    short_name: name,
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf7',
    theme_color: '#fbfaf7',
    icons: [
      { src: '/static/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      ...shell.icons.map((icon) => ({
        src: `/static/app/${icon.name}`, sizes: `${icon.pixels}x${icon.pixels}`, type: 'image/png', purpose: icon.safe ? 'maskable' : 'any'
      }))
    ],
    // Of the documentation, which the service contains.
    screenshots: [
      { src: '/help/pictures/desk.webp', sizes: '1440x900', type: 'image/webp', form_factor: 'wide' },
      { src: '/help/pictures/phone.webp', sizes: '780x1688', type: 'image/webp', form_factor: 'narrow' }
    ],
    shortcuts: [
      { name: shortcuts.newChat, url: '/new' },
      { name: shortcuts.home, url: '/' }
    ],
    // The service worker handles it (web/worker/sharing.js), because the person may not be signed in, and the service may be unreachable.
    share_target: {
      action: sharePath,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: {
        title: 'title', text: 'text', url: 'url',
        files: [{ name: 'files', accept: ['image/*', 'audio/*', 'video/*', 'text/*', 'application/*', '*/*'] }]
      }
    }
  }
}

/** Returns the service worker of this version, with the app's files and the page that is shown while the service is unreachable. */
function workerOf (name: string): string {
  const build = {
    version: shell.version,
    first: shell.first,
    begin: shell.begin,
    rest: shell.rest,
    words: shell.words,
    early: Object.fromEntries(Object.keys(shell.words).map((language) => [language, linksTo(wordsOf(language))])),
    earlyInChat: linksTo(shell.chat),
    places: places.map((place) => `^${place.replaceAll(/:\w+/g, '[^/]+')}$`),
    notifications: Object.fromEntries(Object.entries(pageWords).map(([language, { notifications, shortcuts }]) =>
      [language, { ...notifications, untitled: shortcuts.newChat }])),
    startWords: startMarkup(),
    page: fillPage(page, { name, csrf_token: 'offline', app_version: shell.version, start: startPath({}), ...startPlaces }),
    policy: contentSecurityPolicy,
    name,
    icon: shell.icons[0]?.name ?? ''
  }
  return `const appBuild = ${JSON.stringify(build)};\n${shell.worker}`
}
