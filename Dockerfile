# The image has the program with its time zones, certificates of authorities, and no shell. It runs as nobody, and needs to
# write only to /data, and only on embedded stores.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t onrush .
#
# A release builds the last stage alone, in a folder where out has been filled already: see .ci/release.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# What onrush version prints; the build can't read it from git, which is not in its context.
ARG VERSION
RUN CGO_ENABLED=0 go build -trimpath -tags timetzdata -ldflags="-s -w -X onrush/app/release.version=$VERSION" \
      -o /out/root/onrush ./app && go run ./deploy/image /out

FROM scratch
COPY --from=build /out/root/ /
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV ONRUSH_ADDR=0.0.0.0:8080 ONRUSH_METRICS_ADDR=0.0.0.0:9090 ONRUSH_DATA_DIR=/data ONRUSH_LOG=json
EXPOSE 8080 9090
HEALTHCHECK --interval=5s --timeout=4s --start-period=10s CMD ["/onrush", "health"]
ENTRYPOINT ["/onrush"]
CMD ["serve"]
