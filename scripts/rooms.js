// Oxlint rules: which room may import which (ground <- providers <- agent, workspace <- areas <- plugins, routes <- app), and that one word
// leads to all of an area.
import { existsSync, readdirSync } from 'node:fs'
import { posix, relative } from 'node:path'

const area = 'services/areas/[^/]+'
/** A file whose path matches `from` must not import one whose path matches `to`, in which $1 is the first group of `from`. */
const never = (name, comment, from, to) => ({ name, comment, from: new RegExp(from), to })

const rooms = [
  never(
    'ground-knows-nobody', 'The ground is under everything', '^services/ground/',
    '^(?:services/(?!ground/)|plugins/|routes/|schemas/|app\\.ts|server\\.ts)'
  ),
  never(
    'providers-know-the-ground', 'Facts for both tiers', '^services/providers/',
    '^(?:services/(?!ground/|providers/)|plugins/|routes/|schemas/|app\\.ts)'
  ),
  never(
    'agent-knows-providers', 'The agent knows no area and no workspace of the web tier', '^services/agent/',
    '^(?:services/(?!ground/|providers/|agent/)|plugins/|routes/|schemas/|app\\.ts)'
  ),
  never(
    'workspace-knows-the-ground', 'One day it is on another machine', '^services/workspace/',
    '^(?:services/(?!ground/|providers/|workspace/)|plugins/|routes/|schemas/|app\\.ts)'
  ),
  never(
    'areas-know-no-plugin', 'Services are free of Fastify and HTTP', '^services/',
    '^(?:plugins|routes)/|^app\\.ts|^node_modules/(?:@fastify|fastify|fastify-plugin)/'
  ),
  never(
    'git-alone-keeps-its-environment', 'What a service needs of the environment is passed to it', '^(?!services/workspace/git/|server\\.ts$)',
    '^services/workspace/git/environment\\.ts'
  ),
  never('routes-are-leaves', 'A route is registered, not imported', '^(?:plugins|services|schemas)/', '^routes/'),
  never('schemas-know-only-schemas', 'The wire format and nothing else', '^schemas/', '^(?:services|plugins|routes)/'),
  never(
    'agent-is-leaned-on-by-its-index', 'From outside, the agent is its index, protocol and limits', `^(?:${area}|plugins|routes)/`,
    '^services/agent/(?!index\\.ts|protocol\\.ts|limits\\.ts|policy/index\\.ts)'
  ),
  never(
    'providers-by-their-index', 'From outside, providers are their index', `^(?:services/agent|${area}|plugins|routes)/`,
    '^services/providers/(?!index\\.ts)'
  ),
  never(
    'the-app-is-a-client', 'The browser app knows the interface, not the service; its tests get one from test/support', '^web/',
    '^(?:services|plugins|routes|schemas|machine)/|^(?:app|server)\\.ts'
  ),
  never('the-app-has-its-own-tests', 'Nothing that is built leans on a test', '^web/src/', '^(?:web/)?test/'),
  never(
    'editors-get-a-client', 'The agent of editors knows the interface, not the service, and has the client as its way to it', '^acp/',
    '^(?:services|plugins|routes|schemas|web)/'
  ),
  never(
    'clients-stand-alone', 'The client is published by itself: it knows the document of the interface, and nothing else', '^clients/',
    '^(?:services|plugins|routes|schemas|web|acp|machine|formulas|reasons|schedules)/'
  ),
  never(
    'core-draws-nothing', 'What the browser app knows and does is free of how it looks', '^web/src/core/',
    '^web/src/(?!core/)|^node_modules/(?:preact|@preact/signals|wouter-preact|@iconify-json|virtua)/'
  ),
  never('formulas-know-nobody', 'Rules for formulas that the app and shared pages have in common', '^formulas/', '^(?!formulas/|node_modules/)'),
  never('reasons-know-nobody', 'What the service says to people by codes, which the app says in its language', '^reasons/', '^(?!reasons/|node_modules/)'),
  never('schedules-know-nobody', 'Words for schedules that the app and the service have in common', '^schedules/', '^(?!schedules/|node_modules/)'),
  never(
    'the-site-stands-alone', 'The documentation is made from files, not from the service', '^site/',
    '^(?:services|plugins|routes|schemas|machine|acp|web)/|^(?:app|server)\\.ts'
  ),
  never(
    'machines-come-on-top', 'The program of a machine is built of what the service is built of, and nobody leans on it',
    '^(?:services|plugins|routes|schemas|acp|web|app\\.ts|server\\.ts)', '^machine/'
  ),
  never(
    'commands-come-on-top', 'The program of the command line is built of all the rest, and only entries lean on it',
    '^(?:services|plugins|routes|schemas|acp|machine|web|app\\.ts|server\\.ts)', '^cli/'
  ),
  never(
    'commands-stand-alone', 'Each command is loaded when it is called: none leans on another one', '^cli/commands/', '^cli/commands/'
  ),
  never(
    'areas-by-their-index', 'An area reaches into another one only through its index.ts', `^(${area})/`,
    `^(?!$1/)${area}/(?!(?:.*/)?index\\.ts$)`
  )
]

const areas = readdirSync(new URL('../services/areas', import.meta.url))
/** Services outside the areas whose plugins, routes and schemas have their name: `services/{agent,workspace}`, and rooms in them. */
const otherServices = ['agent', 'files', 'sandbox', 'workspace']
/** What the web process has beside its services: its own state, the console, the pages of the app. */
const webProcess = ['console', 'pages', 'system']
/** The words with which the name of a file begins, by its room. */
const wordsOf = {
  'plugins/areas': [...areas, ...otherServices],
  routes: [...areas, ...otherServices, ...webProcess],
  schemas: [
    ...areas, ...otherServices, ...webProcess,
    // What schemas of several areas have in common; `reasons` is the folder of that name, on the wire.
    'common', 'components', 'error-codes', 'errors', 'examples', 'reasons', 'shapes'
  ]
}

export default {
  meta: { name: 'rooms' },
  rules: {
    names: {
      meta: { type: 'problem' },
      create (context) {
        const path = relative(context.cwd, context.filename).replaceAll('\\', '/')
        const words = wordsOf[posix.dirname(path)]
        const name = posix.basename(path, '.ts')
        if (words === undefined || words.some((word) => name === word || name.startsWith(`${word}-`))) return {}
        const message = `${path}: its name does not begin with that of an area (services/areas), so nobody who looks for the area finds it`
        return { Program: (node) => { context.report({ node, message }) } }
      }
    },
    arrow: {
      meta: { type: 'problem' },
      create (context) {
        const path = relative(context.cwd, context.filename).replaceAll('\\', '/')
        const forbidden = rooms.flatMap(({ name, comment, from, to }) => {
          const match = from.exec(path)
          return match === null ? [] : [{ name, comment, to: new RegExp(to.replaceAll('$1', match[1] ?? '')) }]
        })
        if (forbidden.length === 0) return {}
        const check = ({ source, argument }) => {
          const specifier = source ?? argument?.literal ?? argument
          if (typeof specifier?.value !== 'string') return
          const target = targetOf(path, specifier.value)
          for (const { name, comment, to } of forbidden) {
            if (to.test(target)) context.report({ node: specifier, message: `${target}: ${comment} (${name})` })
          }
        }
        return {
          ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check, ImportExpression: check, TSImportType: check
        }
      }
    }
  }
}

/** Returns the path of the file that a specifier imports: the source, not what it is compiled to. */
function targetOf (path, specifier) {
  if (specifier === '#test') return 'test/support/harness.ts'
  if (specifier.startsWith('node:')) return specifier
  if (!/^\.\.?\//.test(specifier)) return `node_modules/${specifier}/`
  const target = posix.join(posix.dirname(path), specifier)
  return ['.ts', '.tsx'].map((extension) => target.replace(/\.jsx?$/, extension)).find((source) => existsSync(source)) ?? target
}
