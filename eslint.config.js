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
  }
]
