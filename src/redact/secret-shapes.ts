/** Secrets that are known by how they look, wherever they stand. Every repetition is bounded or begins behind a fixed
 *  prefix, so that no text takes long. */
export const SECRET_SHAPES: readonly RegExp[] = [
  // Half of a key is none that anybody should see: one without its end goes to the end of the text.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  // JSON Web Tokens, also without their signature.
  /\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g,
  // Model providers: Anthropic, OpenAI, OpenRouter, Langfuse, DeepSeek; Hugging Face, Groq, xAI, Replicate, Perplexity,
  // Fireworks, NVIDIA.
  /\bsk-[A-Za-z0-9][\w-]{14,}/g,
  /\b(?:hf_|gsk_|r8_|fw_)[A-Za-z0-9]{20,}/g,
  /\b(?:xai-|pplx-|nvapi-)[\w-]{20,}/g,
  // Source hosts: GitHub, GitLab, Bitbucket and the rest of Atlassian.
  /\b(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\w.-]{16,}/g,
  /\bAT(?:ATT3|BB|CTT3)[\w=-]{16,}/g,
  // Clouds: AWS, Google, Alibaba, Databricks, DigitalOcean, Cloudflare, Fly, Heroku, Netlify, Supabase, PlanetScale.
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{10,}/g,
  /\bGOCSPX-[\w-]{20,}/g,
  /\b1\/\/0[\w-]{20,}/g,
  /\bLTAI[A-Za-z0-9]{12,}/g,
  /\bdapi[0-9a-f]{32}/g,
  /\bdo[opr]_v1_[0-9a-f]{32,}/g,
  /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{32,}/g,
  /\bfm[12]_[A-Za-z0-9+/=_-]{20,}/g,
  /\bHRKU-[\w-]{20,}/g,
  /\b(?:nfp_|sbp_|sb_secret_|pscale_(?:tkn|pw|oauth)_)\w{16,}/g,
  // Payment and shops: Stripe, Square, Shopify, PayPal's Braintree.
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{16,}/g,
  /\bsq0(?:atp|csp|idp)-[\w-]{20,}/g,
  /\bEAAA[\w-]{40,}/g,
  /\bshp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{20,}/g,
  /\baccess_token\$production\$[\w$]{20,}/g,
  // Messages: Slack, Discord, Telegram, Teams, Twilio, SendGrid, Mailgun, Mailchimp, Resend.
  /\bxox[a-z]-[\w-]{10,}/g,
  /\bxapp-\d-[\w-]{10,}/g,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{10,}/g,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{5,}\/[\w-]{20,}/g,
  /\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}\b/g,
  /\b\d{8,10}:AA[\w-]{30,}/g,
  /\bwebhook\.office\.com\/webhookb2\/[\w@/-]{20,}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bkey-[0-9a-f]{32}\b/g,
  /\b[0-9a-f]{32}-us\d{1,2}\b/g,
  /\bre_[A-Za-z0-9]{8,}_[A-Za-z0-9]{16,}/g,
  // Registries: npm, PyPI, RubyGems, crates.io, Docker, Clojars.
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[\w-]{30,}/g,
  /\brubygems_[0-9a-f]{30,}/g,
  /\bcio[A-Za-z0-9]{32}\b/g,
  /\bdckr_(?:pat|oat)_[\w-]{16,}/g,
  /\bCLOJARS_[0-9a-z]{40,}/g,
  // Work: Linear, Notion, Figma, Airtable, Postman, Dropbox, Asana, Typeform, Contentful.
  /\blin_(?:api|oauth)_[A-Za-z0-9]{20,}/g,
  /\b(?:ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,})/g,
  /\bfigd_[\w-]{20,}/g,
  /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{40,}/g,
  /\bPMAK-[0-9a-f]{20,}-[0-9a-f]{20,}/g,
  /\bsl\.[\w-]{60,}/g,
  /\btfp_[\w-]{30,}/g,
  /\bCFPAT-[\w-]{30,}/g,
  // Operations: Vault, Terraform, Doppler, 1Password, Grafana, New Relic, Sentry, Dynatrace, Pulumi, age.
  /\bhv[sbr]\.[\w-]{20,}/g,
  /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{30,}/g,
  /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,}/g,
  /\bops_eyJ[\w+/=-]{20,}/g,
  /\bgl(?:sa|c)_[\w+/=]{20,}/g,
  /\bNR(?:AK|JS|II|IQ|RA)-[\w-]{16,}/g,
  /\bsntry[su]_[\w+/=-]{20,}/g,
  /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{40,}/g,
  /\bpul-[0-9a-f]{40}\b/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g,
];

/** Long, and with both cases and digits in it, as random text is; paths, branches, hashes and uuids are not. */
export const RANDOM_TEXT =
  /(?<![A-Za-z0-9+])(?=[A-Z0-9+]{0,200}[a-z])(?=[a-z0-9+]{0,200}[A-Z])(?=[A-Za-z+]{0,200}\d)[A-Za-z0-9+]{40,200}={0,2}(?![A-Za-z0-9+])/g;
