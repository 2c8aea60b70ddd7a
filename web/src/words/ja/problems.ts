import { type Words } from '../en/index.js'

export const problems: Words['problems'] = {
  cut: {
    length: '回答が長さの上限に達しました。',
    content_filter: 'プロバイダーがこの回答を打ち切りました。言い方を変えるか、別のモデルを選んでください。',
    budget_exhausted: '予算を使い切りました。「continue」と送るともう一度確認されます。予算は「使用量」で変更できます。',
    other: '回答が途中で終わっています。'
  },
  goOn: '続ける',
  toModels: '「モデル」で確認',
  toAgents: '「設定」の「権限」で確認',
  labelled: (label) => `${label}。`,
  label: {
    rate_limit: 'リクエスト制限',
    quota_exhausted: '利用枠の超過',
    auth_mismatch: '拒否されました',
    model_not_found: 'モデルが見つかりません',
    mode_not_allowed: '許可されていません',
    no_response: '応答なし',
    answer_too_large: '回答が長すぎます',
    compression_exhausted: 'チャットが長すぎます',
    format_missed: '形式が正しくありません',
    unsupported: '非対応',
    interrupted: '中断',
    cancelled: '停止',
    error: 'エラー'
  },
  said: {
    auth_mismatch: (provider) => `${provider} がキーを拒否しました。`,
    quota_exhausted: (provider) => `${provider} のアカウントの利用枠がなくなりました。`,
    rate_limit: (provider) => `${provider} は現在これ以上のリクエストを受け付けていません。`,
    model_not_found: (provider, model) => `${provider} にはモデル ${model} がありません。`,
    no_response: (provider) => `${provider} から回答がないか、回答の途中で切れました。`
  },
  next: {
    rate_limit: 'しばらく待ってから、もう一度試してください。',
    quota_exhausted: 'プロバイダーで残高を追加するか、別のプロバイダーを選んでください。',
    auth_mismatch: 'このプロバイダーのキーを確認してください。',
    model_not_found: '別のモデルを選んでください。',
    mode_not_allowed: '別のモードを選ぶか、このモードを許可してください。',
    no_response: 'プロバイダーが動作していて接続できることを確認し、もう一度試してください。',
    answer_too_large: 'そこまでの内容は残っています。一度に頼む量を減らしてください。',
    compression_exhausted: '新しいチャットを始めるか、コンテキストの大きいモデルを選んでください。',
    format_missed: 'もう一度試すか、別のモデルを選んでください。',
    unsupported: '別のモデルを選んでください。',
    interrupted: 'そこまでの内容は残っています。もう一度試してください。',
    cancelled: 'もう一度試せます。',
    error: 'もう一度試すか、別のモデルを選んでください。'
  }
}
