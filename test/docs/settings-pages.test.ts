import { globSync, readFileSync } from 'node:fs'
import t from '#test'
import { settings } from '../../web/src/words/en/settings.js'

t.test('texts that send somebody to a page of the settings call it what the app calls it', (t) => {
  const pages = Object.values(settings.pages)
  const named = globSync(['{services,routes,plugins,cli,schemas}/**/*.ts', 'docs/*.md']).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/Settings → ([A-Z][^.,;:*'"`)\n]*)/g)].map(([, page = '']) => ({ file, page })))
  t.ok(named.length > 20)
  t.same(named.filter(({ page }) => !pages.some((name) => page.startsWith(name))), [])
})
