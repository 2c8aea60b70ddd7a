import stylistic from '@stylistic/eslint-plugin'

// Rules without a prefix are oxlint's own. `js` has ESLint's rules that oxlint lacks; it and `@stylistic` are JavaScript plugins.

const keyless = {
  selector: 'CallExpression[callee.property.name=/^(?:map|flatMap)$/] > ArrowFunctionExpression > JSXElement.body > JSXOpeningElement:not(:has(> JSXAttribute[name.name="key"]))',
  message: 'Elements of a list need a key.'
}
const aborting = { selector: "CallExpression[callee.property.name='iterate']", message: 'With Node 24 the process aborts when an iterator of better-sqlite3 is collected: use inPortions.' }
const guarded = 'Where a connection leads is judged where it is made: guardedFetch, postOutside, createSignInFetch or guardedConnector.'
const environment = 'Only the configuration and entries of programs read the environment: take what is needed as an argument.'
/** All ways to leave the process over HTTP or sockets. */
const connecting = [
  { selector: "MemberExpression[object.name='globalThis'][property.name=/^(fetch|WebSocket|EventSource)$/]", message: guarded },
  { selector: "ImportExpression[source.value='undici']", message: guarded },
  { selector: "ImportDeclaration[source.value='undici'][importKind!='type'] > ImportSpecifier[importKind!='type']", message: guarded },
  { selector: 'ImportDeclaration[source.value=/^(node:)?(http|https|http2|net|tls|dgram)$/] > ImportSpecifier[imported.name=/^(request|get|connect|createConnection|createSocket|Agent)$/]', message: guarded },
  { selector: 'ImportDeclaration[source.value=/^(node:)?(http|https|http2|net|tls|dgram)$/] > :matches(ImportDefaultSpecifier, ImportNamespaceSpecifier)', message: guarded },
  { selector: 'ImportExpression[source.value=/^(node:)?(http|https|http2|net|tls|dgram)$/]', message: guarded }
]

/** Rules of the standard style (https://standardjs.com) and of ESLint's recommendations that the category `correctness` lacks. */
const standard = {
  ...Object.fromEntries([
    'no-array-constructor', 'no-case-declarations', 'no-fallthrough', 'no-prototype-builtins', 'no-regex-spaces', 'no-unexpected-multiline',
    'no-useless-constructor', 'preserve-caught-error'
  ].map((name) => [name, 'error'])),
  'accessor-pairs': ['error', { enforceForClassMembers: true }],
  'array-callback-return': 'error',
  'js/camelcase': ['error', { properties: 'never', ignoreGlobals: true }],
  curly: ['error', 'multi-line'],
  'default-case-last': 'error',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'new-cap': ['error', { capIsNew: false }],
  'no-caller': 'error',
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-empty': ['error', { allowEmptyCatch: true }],
  'no-eval': 'error',
  'no-extend-native': 'error',
  'no-extra-bind': 'error',
  'no-implied-eval': 'error',
  'no-iterator': 'error',
  'no-labels': 'error',
  'no-lone-blocks': 'error',
  'no-multi-str': 'error',
  'no-new': 'error',
  'no-new-func': 'error',
  'no-new-wrappers': 'error',
  'no-object-constructor': 'error',
  'no-proto': 'error',
  'no-return-assign': 'error',
  'no-self-compare': 'error',
  'no-sequences': 'error',
  'no-template-curly-in-string': 'error',
  'no-throw-literal': 'error',
  'js/no-undef-init': 'error',
  'js/no-unmodified-loop-condition': 'error',
  'no-unneeded-ternary': ['error', { defaultAssignment: false }],
  'no-unreachable-loop': 'error',
  'no-useless-call': 'error',
  'no-useless-computed-key': 'error',
  'no-useless-rename': 'error',
  'no-useless-return': 'error',
  'no-var': 'error',
  'no-void': 'error',
  'object-shorthand': ['error', 'properties'],
  'one-var': ['error', { initialized: 'never' }],
  'prefer-const': ['error', { destructuring: 'all' }],
  'prefer-promise-reject-errors': 'error',
  'prefer-regex-literals': ['error', { disallowRedundantWrapping: true }],
  'symbol-description': 'error',
  'unicode-bom': 'error',
  'valid-typeof': ['error', { requireStringLiterals: true }],
  yoda: 'error',
  'no-redeclare': ['error', { builtinGlobals: false }],
  'no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true, allowTaggedTemplates: true }],
  'no-unused-vars': ['error', { args: 'none', caughtErrors: 'none', ignoreRestSiblings: true }],
  'no-use-before-define': ['error', { functions: false, classes: false, variables: false }]
}

const style = {
  ...stylistic.configs.customize({ braceStyle: '1tbs', commaDangle: 'never' }).rules,
  ...Object.fromEntries([
    'arrow-parens', 'indent-binary-ops', 'jsx-max-props-per-line', 'jsx-one-expression-per-line', 'max-statements-per-line',
    'member-delimiter-style', 'type-generic-spacing'
  ].map((name) => [`@stylistic/${name}`, 'off'])),
  '@stylistic/array-bracket-spacing': 'error',
  '@stylistic/generator-star-spacing': ['error', 'both'],
  '@stylistic/indent': ['error', 2, {
    SwitchCase: 1,
    offsetTernaryExpressions: { CallExpression: false, AwaitExpression: false, NewExpression: false },
    ignoredNodes: [
      'TSUnionType', 'TSIntersectionType', 'ConditionalExpression > JSXElement', 'ConditionalExpression > JSXElement *',
      'ConditionalExpression > JSXFragment', 'ConditionalExpression > JSXFragment *'
    ]
  }],
  '@stylistic/jsx-self-closing-comp': 'error',
  '@stylistic/jsx-quotes': ['error', 'prefer-single'],
  '@stylistic/jsx-wrap-multilines': ['error', { arrow: 'ignore', condition: 'ignore', logical: 'ignore', prop: 'ignore' }],
  '@stylistic/object-curly-spacing': ['error', 'always'],
  '@stylistic/operator-linebreak': ['error', 'after', { overrides: { '?': 'before', ':': 'before', '|': 'before' } }],
  '@stylistic/quote-props': ['error', 'as-needed'],
  '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: 'never' }],
  '@stylistic/space-before-function-paren': ['error', 'always'],
  '@stylistic/yield-star-spacing': ['error', 'both']
}

export default {
  plugins: ['typescript', 'import'],
  jsPlugins: ['@stylistic/eslint-plugin', { name: 'js', specifier: 'oxlint-plugin-eslint' }, './scripts/rooms.js', 'eslint-plugin-regexp'],
  categories: { correctness: 'error' },
  options: { reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist', '.build', 'drizzle', 'node_modules', '.update', 'web/built', 'site/built', 'clients/typescript/wire.d.ts', 'clients/typescript/dist'],
  env: { node: true, es2024: true },
  globals: { document: 'readonly', navigator: 'readonly', window: 'readonly' },
  rules: { ...standard, ...style },
  overrides: [
    {
      files: ['**/*.js'],
      rules: { 'no-undef': 'error' }
    },
    {
      files: ['**/*.ts', '**/*.tsx'],
      excludeFiles: ['bench/**', 'scripts/**', 'test/**'],
      rules: {
        // Files that import each other, even only types, should be one file, or share a third one.
        'import/no-cycle': ['error', { ignoreTypes: false }],
        'rooms/arrow': 'error',
        'rooms/names': 'error',
        // Text from others must not be able to block the service or the page.
        'regexp/no-super-linear-backtracking': ['error', { report: 'certain' }]
      }
    },
    {
      files: ['**/*.ts', '**/*.tsx'],
      excludeFiles: ['bench/**', 'scripts/**', 'test/**', 'web/test/**'],
      rules: {
        'max-lines-per-function': ['error', { max: 110 }],
        // What may be missing is checked, or named (services/ground/present.ts).
        'typescript/no-non-null-assertion': 'error'
      }
    },
    {
      files: ['web/worker/*.js'],
      env: { serviceworker: true },
      globals: { appBuild: 'readonly' }
    },
    {
      files: ['web/worker/begin.js'],
      env: { browser: true }
    },
    {
      files: ['web/src/frame/drawer.js'],
      env: { browser: true },
      globals: { mermaid: 'readonly' }
    },
    {
      files: ['**/*.ts', '**/*.tsx'],
      rules: {
        'prefer-rest-params': 'error',
        'prefer-spread': 'error',
        'typescript/no-explicit-any': 'error',
        'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
        // `void promise` marks a promise that nobody awaits. A schema and its type share a name.
        'no-void': ['error', { allowAsStatement: true }],
        'no-redeclare': 'off',
        'js/no-restricted-syntax': ['error', aborting],
        // Short literals read better with several properties in a line.
        '@stylistic/object-property-newline': 'off'
      }
    },
    {
      files: ['**/*.tsx'],
      rules: { 'js/no-restricted-syntax': ['error', aborting, keyless] }
    },
    {
      // Texts, patterns and addresses may be longer, because they cannot be broken.
      files: ['**/*.ts', '**/*.tsx', '**/*.js'],
      excludeFiles: ['test/**', 'web/test/**', 'web/src/words/**', 'oxlint.config.js'],
      rules: {
        '@stylistic/max-len': ['error', { code: 140, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true, ignorePattern: '(?:eslint|oxlint)-disable' }]
      }
    },
    {
      files: ['./*.ts', 'acp/**/*.ts', 'cli/**/*.ts', 'formulas/**/*.ts', 'reasons/**/*.ts', 'schedules/**/*.ts', 'machine/**/*.ts', 'plugins/**/*.ts', 'routes/**/*.ts', 'schemas/**/*.ts', 'services/**/*.ts'],
      excludeFiles: [
        // These are the guards themselves.
        'services/ground/network/guarded-connector.ts', 'services/ground/network/outgoing.ts', 'services/ground/tracing/collector.ts', 'services/areas/pulls/client.ts', 'services/ground/proxy/tunnel.ts', 'services/providers/direct-fetch.ts', 'services/providers/guarded-fetch.ts', 'services/agent/mcp/guarded-fetch.ts', 'services/agent/mcp/http.ts', 'services/agent/tools/web-fetch.ts',
        // These connect to this program itself, or to an address in its code.
        'machine/in-process.ts', 'services/agent/host/warm-up.ts', 'services/areas/updates/trial.ts', 'services/areas/voice/online/online.ts',
        // These connect to an address that only the environment can set.
        'services/areas/audit/syslog.ts', 'services/areas/diagnostics/checks/address.ts',
        // These are clients of the service.
        'cli/service.ts', 'cli/commands/doctor.ts'
      ],
      rules: {
        'no-restricted-globals': ['error', ...['fetch', 'WebSocket', 'EventSource'].map((name) => ({ name, message: guarded }))],
        'js/no-restricted-syntax': ['error', aborting, ...connecting]
      }
    },
    {
      // Services get what they need from the environment as arguments, so that the configuration shows everything that is read.
      files: ['acp/**/*.ts', 'clients/**/*.ts', 'formulas/**/*.ts', 'reasons/**/*.ts', 'schedules/**/*.ts', 'machine/**/*.ts', 'plugins/**/*.ts', 'routes/**/*.ts', 'schemas/**/*.ts', 'services/**/*.ts'],
      // These are the configuration, and the entries of programs.
      excludeFiles: ['plugins/ground/config*.ts', 'acp/main.ts', 'machine/main.ts', 'services/agent/host/main.ts'],
      rules: {
        'no-restricted-properties': ['error', { object: 'process', property: 'env', message: environment }]
      }
    },
    {
      // Masking a long text at once would block everything else meanwhile.
      files: ['**/*.ts'],
      // Here the values are short, or were masked beforehand (`redactAhead`).
      excludeFiles: [
        'machine/main.ts', 'plugins/ground/errors.ts', 'plugins/ground/logging.ts', 'plugins/areas/relay-answers.ts', 'services/areas/crons/job-views.ts',
        'services/areas/foreign/foreign.ts', 'services/areas/foreign/wire.ts', 'services/areas/mcp/mcp.ts', 'services/areas/mcp/views.ts', 'services/areas/sessions/detail.ts',
        'services/areas/sessions/outline.ts', 'services/areas/sessions/transcript-writes.ts', 'services/areas/sessions/session-views.ts', 'services/ground/database/masks.ts', 'services/ground/redaction/*', 'test/**'
      ],
      rules: {
        'no-restricted-imports': ['error', { patterns: [{ group: ['**/redaction/index.js'], importNames: ['redactDeep'], message: 'Values that may be long are masked in pieces: redactDeepGently.' }] }]
      }
    }
  ]
}
