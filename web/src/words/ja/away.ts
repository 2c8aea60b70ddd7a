import { type Words } from '../en/index.js'

const messages = (count: number): string => `${count} 件のメッセージ`
const named = (before: string, name: string | null): string => name === null ? before : `${before}（${name}）`

export const away: Words['away'] = {
  all: 'すべて表示',
  later: 'この後の予定',
  empty: '実行中、待機中、終了したものはありません',
  emptyText: '離れている間にエージェントが行ったことが、ここに表示されます。',
  counted: {
    waiting: (count) => `あなた待ち ${count} 件`,
    running: (count) => `実行中 ${count} 件`,
    queued: (count) => `待機中 ${count} 件`,
    ended: (count) => `完了 ${count} 件`
  },
  listed: (parts) => `${parts.join('、')}。`,
  works: 'エージェントが作業中です。',
  parked: (provider, when) => when === null
    ? `${provider} が制限に達しました。続け方を決めるまで、ターンは待機します。`
    : `${provider} は ${when} まで制限中です。その後、ターンは自動的に続きます。`,
  decide: '決める',
  cannotContinue: (provider) => `ターンは ${provider} で続けられませんでした。続け方を決めるまで待機します。`,
  worksOn: (what) => `作業中：${what}`,
  stop: '停止',
  stopIt: (title) => `「${title}」を停止`,
  silent: (span, cause) => `${span} 応答なし：${cause}。`,
  causes: {
    model: (name) => name === null ? 'モデルがまだ応答していません' : `${name} がまだ応答していません`,
    command: (line) => named('何も出力しないコマンドを実行中です', line),
    tool: (name) => named('ツールがまだ応答していません', name),
    sub_agent: () => 'サブエージェントが作業中です',
    person: () => 'あなたの回答を待っています'
  },
  behind: (count) => `${messages(count)}が前のターンの終了を待っています。その後、自動的に始まります。`,
  notBefore: (count, when) => `${messages(count)}が ${when} まで待機しています。`,
  held: (count, reason) => {
    if (reason === 'waiting') return `${messages(count)}が実行中のターンの終了を待っています。そのターンはあなたの回答を待っています。`
    if (reason === 'limit') return `${messages(count)}が実行中のターンの終了を待っています。そのターンはプロバイダーを待っています。`
    const why: Readonly<Record<string, string>> = {
      failed: '前のターンが失敗したため', cancelled: '前のターンを停止したため', budget: '予算を使い切ったため',
      restored: 'バックアップを復元したため'
    }
    return `${why[reason] ?? 'キューが保留されているため'}、${messages(count)}があなたの判断を待っています。`
  },
  runs: '実行中のものが終わると始まります。',
  next: (when) => `次の実行：${when}。`
}
