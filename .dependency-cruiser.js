// Which room may know which: ground <- providers <- agent, workspace <- areas <- plugins, routes <- app. Checked by `npm run lint`.
const area = 'services/areas/[^/]+'

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from: { path: from }, to: { path: to } })

export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'Files that import each other, types included, are one file or have a third part',
      severity: 'error',
      from: {},
      to: { circular: true }
    },
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
      '^(?:services|plugins|routes|schemas|web|acp|machine|formulas|schedules)/'
    ),
    never(
      'core-draws-nothing', 'What the browser app knows and does is free of how it looks', '^web/src/core/',
      '^web/src/(?!core/)|^node_modules/(?:preact|@preact/signals|wouter-preact|@iconify-json|virtua)/'
    ),
    never('formulas-know-nobody', 'Rules for formulas that the app and shared pages have in common', '^formulas/', '^(?!formulas/)'),
    never('schedules-know-nobody', 'Words for schedules that the app and the service have in common', '^schedules/', '^(?!schedules/)'),
    never(
      'machines-come-on-top', 'The program of a machine is built of what the service is built of, and nobody leans on it',
      '^(?:services|plugins|routes|schemas|acp|web|app\\.ts|server\\.ts)', '^machine/'
    ),
    {
      name: 'areas-by-their-index',
      comment: 'An area reaches into another one only through its index.ts',
      severity: 'error',
      from: { path: `^(${area})/` },
      to: { path: `^${area}/`, pathNot: ['^$1/', '/index\\.ts$'] }
    }
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^test/'] },
    exclude: { path: '^(?:node_modules|dist|\\.build)/(?!fastify|@fastify)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.json'] }
  }
}
