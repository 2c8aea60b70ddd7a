import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readFileSync } from 'node:fs'
import { contentSecurityPolicy } from '../plugins/security.js'
import { asset } from '../services/ground/assets.js'
import { fillPage } from '../services/ground/html.js'

const page = readFileSync(asset('web/built/app.html'), 'utf8')

/** Addresses of the app (web/src/shell/screens.tsx). Every other one that nobody knows is a 404. */
const places = ['/', '/session/:id', '/inbox', '/tasks', '/skills', '/memory', '/usage', '/models', '/settings', '/settings/:section']

const worker = readFileSync(asset('web/sw.js'), 'utf8')

interface Shell { version: string, first: string[], rest: string[], icons: Array<{ name: string, pixels: number, safe: boolean }> }

/** What scripts/build-web.js has made. */
const shell = JSON.parse(readFileSync(asset('web/built/shell.json'), 'utf8')) as Shell

/** The page, and what browsers ask for beside it. It holds no data of its own: its script asks the interface like every other client. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const name = (): string => app.settings.values().bot_name

  for (const path of places) {
    app.get(path, { config: { scope: 'read' }, schema: { hide: true } }, async (request, reply) => await reply
      .type('text/html; charset=utf-8').header('cache-control', 'no-store')
      .send(fillPage(page, { name: name(), csrf_token: request.operator?.csrfToken ?? '', app_version: app.appVersion })))
  }

  app.get('/manifest.json', { config: { scope: 'read' }, schema: { hide: true } }, async (request, reply) => await reply
    .type('application/manifest+json').header('cache-control', 'no-cache')
    .send(JSON.stringify(manifestOf(name()))))

  app.get('/sw.js', { config: { scope: 'read' }, schema: { hide: true } }, async (request, reply) => await reply
    .type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(workerOf(name())))
}
export default plugin

/** What a device that installs the app is told of it. */
function manifestOf (name: string): object {
  return {
    name,
    short_name: name,
    id: '/',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    background_color: '#faf9f6',
    theme_color: '#faf9f6',
    icons: [
      { src: '/static/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      ...shell.icons.map((icon) => ({ src: `/static/app/${icon.name}`, sizes: `${icon.pixels}x${icon.pixels}`, type: 'image/png', purpose: icon.safe ? 'maskable' : 'any' }))
    ],
    shortcuts: [
      { name: 'New chat', url: '/' },
      { name: 'Waiting for you', url: '/inbox' }
    ],
    // Files would have to be taken by the service worker, before anybody is known to be signed in: what is shared is text alone.
    share_target: { action: '/', method: 'GET', params: { title: 'share_title', text: 'share_text', url: 'share_url' } }
  }
}

/** The service worker of this version: it knows the app's files, and the page as it is shown while the service cannot be reached. */
function workerOf (name: string): string {
  const build = {
    version: shell.version,
    first: shell.first,
    rest: shell.rest,
    page: fillPage(page, { name, csrf_token: 'offline', app_version: shell.version }),
    policy: contentSecurityPolicy,
    name,
    icon: shell.icons[0]?.name ?? ''
  }
  return worker.replace('/* build */ null', () => JSON.stringify(build))
}
