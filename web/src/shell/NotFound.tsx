import { EmptyState } from '../ui/EmptyState.js'
import { Link } from '../ui/Link.js'
import { words } from '../words/index.js'
import { Page } from './Page.js'
import { places } from './places.js'

/** The screen of an unknown address. */
export function NotFound () {
  const w = words.value.shell
  return (
    <Page title={w.notFound}>
      <EmptyState title={w.notFoundText} actions={<Link href={places.start} class='button button-plain'>{w.toStart}</Link>} />
    </Page>
  )
}
