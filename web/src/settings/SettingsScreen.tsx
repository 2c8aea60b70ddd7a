import { useEffect, useRef, useState } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { Page } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { SelectField, TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { Link } from '../ui/Link.js'
import { ChevronLeft, X } from '../ui/icons.js'
import { isDesk, isPhone } from '../ui/screen.js'
import { screenWords } from '../words/index.js'
import { ConfigNotes } from './ConfigNotes.js'
import { Hits } from './Hits.js'
import { moveAmongHits } from './hit-keys.js'
import { findSettings } from './search.js'
import { SettingsPage } from './SettingsPage.js'
import { groupNames, groups, pageOf, type PageName, type Setting } from './table.js'
import './settings.css'

/** The page that is shown beside the list. */
const firstPage: PageName = 'appearance'

/** All settings, one page at a time, with a search in all of them. */
export function SettingsScreen ({ params: { section } }: { params: Record<string, string> }) {
  const [search, setSearch] = useState('')
  const w = screenWords.value.settings
  const chosen = section === undefined ? null : pageOf(section)
  const sought = search.trim()
  const found = findSettings(search)
  // On a wide screen the first page is shown beside the list; a phone shows either the list or a page.
  const shown = sought !== '' ? null : chosen ?? (isPhone.value ? null : firstPage)
  useEffect(() => {
    // An earlier address leads to the present page of its settings.
    if (chosen !== null && chosen !== section) navigate(`${places.settings}/${chosen}${location.hash}`, { replace: true })
  }, [chosen, section])
  return (
    <Page title={shown !== null && isPhone.value ? w.pages[shown] : w.title} wide>
      <div class='settings-screen'>
        {!isPhone.value || shown === null
          ? <Nav search={search} onSearch={setSearch} found={found} chosen={chosen} shown={shown} />
          : <p><Link class='settings-back' href={places.settings}><Icon of={ChevronLeft} />{w.all}</Link></p>}
        <div class='settings-body'>
          <ConfigNotes />
          {sought !== '' ? <Hits sought={sought} found={found} /> : shown === null ? null : <SettingsPage key={shown} name={shown} />}
        </div>
      </div>
    </Page>
  )
}

/**
 * The search, and the pages with their numbers of hits. On a phone, hits replace the pages; a window with room for one more column only
 * gives it to the page, and lists the others in a select.
 */
function Nav ({ search, onSearch, found, chosen, shown }: {
  search: string
  onSearch: (text: string) => void
  found: readonly Setting[]
  /** The page of the address, and the one that is shown. */
  chosen: PageName | null
  shown: PageName | null
}) {
  const input = useRef<HTMLInputElement>(null)
  const pages = useRef<HTMLElement>(null)
  useEffect(() => pages.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' }), [shown])
  const w = screenWords.value.settings
  const isSearching = search.trim() !== ''
  const clear = (): void => {
    onSearch('')
    input.current?.focus()
  }
  return (
    <div class='settings-side'>
      <div class='settings-search'>
        <TextField
          label={w.search} bare type='search' placeholder={w.search} value={search} inputRef={input} autocomplete='off' spellcheck={false}
          onValue={onSearch}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && isSearching) clear()
            else moveAmongHits(event)
          }}
          after={isSearching ? <Button kind='quiet' size='small' icon={X} label={w.clearSearch} onClick={clear} /> : null}
        />
      </div>
      {!isPhone.value && !isDesk.value ? <PageSelect chosen={chosen} onChosen={() => onSearch('')} /> : null}
      {!isDesk.value && !(isPhone.value && !isSearching)
        ? null
        : (
          <nav ref={pages} class='settings-nav' aria-label={w.title}>
            {groupNames.map((group) => (
              <div key={group} role='group' aria-labelledby={`settings-${group}`}>
                <p class='settings-group' id={`settings-${group}`}>{w.groups[group]}</p>
                {groups[group].map((name) => (
                  <PageLink
                    key={name} name={name} isShown={name === shown}
                    hits={isSearching ? found.filter(({ page }) => page === name).length : null}
                    onClick={() => onSearch('')}
                  />
                ))}
              </div>
            ))}
          </nav>
          )}
    </div>
  )
}

function PageSelect ({ chosen, onChosen }: { chosen: PageName | null, onChosen: () => void }) {
  const w = screenWords.value.settings
  return (
    <SelectField
      label={w.title} bare value={chosen ?? firstPage}
      choices={groupNames.flatMap((group) => groups[group].map((key) => ({ key, text: w.pages[key], group: w.groups[group] })))}
      onValue={(page) => {
        onChosen()
        navigate(`${places.settings}/${page}`)
      }}
    />
  )
}

/** A link to a page. `hits`: how many of its settings match; null without a search. */
function PageLink ({ name, isShown, hits, onClick }: { name: PageName, isShown: boolean, hits: number | null, onClick: () => void }) {
  return (
    <Link
      href={`${places.settings}/${name}`} aria-current={isShown ? 'page' : undefined} class={hits === 0 ? 'settings-without' : ''}
      onClick={onClick}
    >
      <span>{screenWords.value.settings.pages[name]}</span>
      {hits === null || hits === 0 ? null : <span class='settings-count'>{hits}</span>}
    </Link>
  )
}
