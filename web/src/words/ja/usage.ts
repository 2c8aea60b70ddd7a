import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'
import { bar } from './bar.js'

const number = formatter(() => new Intl.NumberFormat('ja'))
const days = formatter(() => new Intl.DateTimeFormat('ja', { day: 'numeric', month: 'short' }))

export const usage: Words['usage'] = {
  period: '期間',
  days: (count) => count === 365 ? '1 年' : `${count} 日`,
  export: 'エクスポート',
  empty: 'この期間の使用はありません',
  emptyText: 'チャットとタスクが使ったトークンと費用を、日、モデル、プロジェクト、タスクごとに集計します。',
  emptyAction: 'チャットを始める',
  tokenCount: (tokens) => `${tokens} トークン`,
  chatCount: (count) => `チャット ${number.format(count)} 件`,
  cachedShare: (percent) => `${percent}% はキャッシュから`,
  cost: '費用',
  tokens: 'トークン',
  input: '入力',
  output: '出力',
  chats: 'チャット',
  inOut: (read, written) => `入力 ${read}、出力 ${written}`,
  messages: (count) => `メッセージ ${number.format(count)} 件`,
  usd: bar.usd,
  short: bar.short,
  count: (count) => number.format(count),
  seconds: (seconds) =>
    seconds >= 120 ? `${number.format(Math.round(seconds / 60))} 分` : `${seconds.toFixed(seconds < 10 ? 1 : 0)} 秒`,
  day: (date) => days.format(date),
  perDay: '日別',
  measure: '指標',
  breakdown: '内訳',
  by: { model: 'モデル', kind: '種類', project: 'プロジェクト', job: 'タスク', tool: 'ツール', prompt: '許可と質問' },
  share: '割合',
  turns: 'ターン',
  runs: '実行',
  calls: '呼び出し',
  failures: '失敗',
  mean: '平均',
  total: '合計',
  asked: '依頼',
  allowed: '許可',
  denied: '拒否',
  answered: '回答',
  expired: '期限切れ',
  cancelled: 'ターン終了',
  open: '未回答',
  promptKinds: { approval: '許可', clarify: '質問' },
  kinds: {
    chat: 'チャット', goal: 'ゴール', btw: 'ついでの質問', background: 'バックグラウンドタスク', delegate: 'サブエージェント', cron: 'タスク',
    deleted: '削除したチャット', retracted: '取り消した回答',
    vision: '画像の説明', web_extract: 'ページの読み取り', session_search: 'チャットの検索', mcp_sampling: 'MCP サーバー',
    title: 'タイトル', judge: 'ゴールの判定',
    compress: '要約', commit_message: 'コミットメッセージ', pull_request: 'プルリクエスト', curate: 'メモリの整理', probe: 'プロバイダーのテスト',
    compare_attempts: '試行の比較', review_attempt: '試行のレビュー'
  },
  noProject: 'プロジェクトなし',
  gone: (id) => `削除済み（${id}）`,
  nothing: 'この期間にはありません。',
  since: (at) => `${days.format(at)} から集計。`,
  budgets: '予算',
  budgetsText: '警告の上限では知らせます。停止の上限では、追加を許可するまでターンが待機します。',
  scopes: { ...bar.scopes, attempts: '試行一式ごと', job: 'タスク実行ごと' },
  limit: {
    soft_usd: (amount) => `${amount} で警告`,
    hard_usd: (amount) => `${amount} で停止`,
    soft_tokens: (count) => `${count} トークンで警告`,
    hard_tokens: (count) => `${count} トークンで停止`
  },
  noLimit: '上限なし',
  change: '変更',
  changeLimits: (scope) => `上限を変更：${scope}`,
  today: (amount, tokens) => `今日：${amount}、${tokens} トークン`,
  ofLimit: (percent) => `今日の上限の ${percent}%`,
  unpriced: (model) => `${model} の価格はわかりません。`,
  resets: (at) => `${at} に新しい 1 日が始まります。`
}
