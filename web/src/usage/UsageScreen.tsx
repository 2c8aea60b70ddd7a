import { useEffect } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { Page } from '../shell/Page.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { ChartNoAxesColumn, Download } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { isPhone } from '../ui/screen.js'
import { Segmented } from '../ui/Segmented.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords, words } from '../words/index.js'
import { Breakdown } from './Breakdown.js'
import { Budgets } from './Budgets.js'
import { Days, Totals } from './Figures.js'
import { isEmpty, periods } from './numbers.js'
import { followUsage, insights, period, refreshUsage } from './usage.js'
import './usage.css'

const exports = ['model', 'kind', 'project', 'job', 'tool', 'prompt'] as const

/** Shows the usage: in total, per day, and by purpose; and the budgets. */
export function UsageScreen () {
  useEffect(followUsage, [])
  const w = screenWords.value.usage
  const value = insights.value.value
  const error = insights.error.value
  const save = (format: 'csv' | 'json', by: typeof exports[number]): void => {
    location.assign(api.url('/api/insights/export', { days: period.value, format, by }))
  }
  const choices = (format: 'csv' | 'json') => exports.map((by) => ({ text: w.by[by], onPick: () => save(format, by) }))
  return (
    <Page
      wide title={words.value.shell.usage}
      actions={(
        <Menu
          kind='plain' icon={Download} label={w.export}
          items={() => [{ heading: 'CSV' }, ...choices('csv'), { heading: 'JSON' }, ...choices('json')]}
        >
          {isPhone.value ? undefined : w.export}
        </Menu>
      )}
    >
      <Segmented
        class='usage-period' label={w.period} chosen={String(period.value)}
        choices={periods.map((days) => ({
          key: String(days), text: w.days(days)
        }))}
        onChoose={(days) => { period.value = periods.find((one) => String(one) === days) ?? period.value; refreshUsage() }}
      />
      {error === null ? null : <ErrorState error={error} busy={insights.isLoading.value} onRetry={refreshUsage} />}
      {value === undefined
        ? error === null ? <Skeleton lines={8} /> : null
        : isEmpty(value)
          ? (
            <EmptyState
              icon={ChartNoAxesColumn} title={w.empty}
              actions={<Button onClick={() => navigate(places.start)}>{w.emptyAction}</Button>}
            >
              {w.emptyText}
            </EmptyState>
            )
          : <><Totals insights={value} /><Days insights={value} /><Breakdown insights={value} /></>}
      <Budgets />
    </Page>
  )
}
