import '../settings/settings.css'
import { api } from '../app.js'
import { Page } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { screenWords } from '../words/index.js'
import { DefaultModel } from './DefaultModel.js'
import { FoundServers } from './FoundServers.js'
import { ProviderList } from './ProviderList.js'
import { Slots } from './Slots.js'
import './models.css'

/** The models and providers of the profile. */
export function ModelsScreen () {
  const w = screenWords.value.models
  return (
    <Page title={w.title}>
      <DefaultModel />
      <ProviderList />
      <FoundServers look={async () => (await api.post('/api/providers/discover')).servers} />
      <Slots />
      <section class='settings-block models-section'>
        <h2>{w.prices}</h2>
        <p class='settings-note'>{w.pricesNote} <Link href={places.usage}>{w.toUsage}</Link></p>
      </section>
    </Page>
  )
}
