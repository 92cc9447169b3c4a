{{- define "onrush.labels" -}}
app.kubernetes.io/name: onrush
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "onrush.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "onrush.secret" -}}
{{ required "existingSecret is required: a secret with ONRUSH_REDIS_URL, ONRUSH_MYSQL_DSN, ONRUSH_JWT_SECRET and ONRUSH_PATH_SECRET" .Values.existingSecret }}
{{- end }}

{{- define "onrush.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "onrush.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
