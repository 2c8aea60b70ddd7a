import { Link } from 'wouter-preact'
import { words } from '../words/index.js'
import { Page } from './Page.js'
import { places } from './places.js'

/** The screen of an unknown address. */
export function NotFound () {
  const w = words.value.shell
  return (
    <Page title={w.notFound}>
      <p><Link href={places.start}>{w.toStart}</Link></p>
    </Page>
  )
}
