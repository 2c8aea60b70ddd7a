import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist', '.build', 'drizzle', 'node_modules', '.tap', '.update', 'web/built', 'web/wire.d.ts'] }),
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `void promise` says that nobody waits; a schema and its type share a name.
      'no-void': ['error', { allowAsStatement: true }],
      '@typescript-eslint/no-redeclare': 'off',
      'no-restricted-syntax': ['error', { selector: "CallExpression[callee.property.name='iterate']", message: 'With Node 24 the process aborts when an iterator of better-sqlite3 is collected: use inPortions.' }],
      // Short literals read better with a few properties to a line than with one each.
      '@stylistic/object-property-newline': 'off'
    }
  },
  {
    // What is masked at once holds up everybody for as long as it takes.
    files: ['**/*.ts'],
    // Here values are short, or were masked ahead (`redactAhead`).
    ignores: [
      'host/main.ts', 'plugins/errors.ts', 'plugins/relay-answers.ts', 'server.ts', 'services/crons/views.ts',
      'services/foreign/foreign.ts', 'services/foreign/wire.ts', 'services/mcp/mcp.ts', 'services/sessions/detail.ts',
      'services/sessions/outline.ts', 'services/sessions/remask.ts', 'services/sessions/transcript.ts', 'services/sessions/views.ts', 'services/ground/redaction/*', 'test/**'
    ],
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ group: ['**/redaction/index.js'], importNames: ['redactDeep'], message: 'Values that may be long are masked in pieces: redactDeepGently.' }] }]
    }
  }
]
