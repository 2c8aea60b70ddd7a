import { type Words } from '../en/index.js'

export const common: Words['common'] = {
  close: '閉じる',
  cancel: 'キャンセル',
  retry: '再試行',
  save: '保存',
  delete: '削除',
  undo: '元に戻す',
  copy: 'コピー',
  copied: 'コピーしました',
  more: 'その他',
  loading: '読み込み中',
  whatToDo: '対処方法',
  machine: 'マシン',
  unreachable: 'サービスに接続できません。しばらくしてからもう一度お試しください。',
  failed: (status) => `サービスがステータス ${status} を返しました。しばらくしてからもう一度お試しください。`
}
